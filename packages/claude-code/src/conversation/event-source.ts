/** Passes events to listeners and readers. A listener that fails affects neither the others nor the run. */
export class EventSource<Event> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #readers = new Set<ItemQueue<Event>>();
  #isOver = false;

  emit(event: Event): void {
    for (const reader of this.#readers) reader.push(event);
    for (const listener of [...this.#listeners]) callListener(listener, event);
  }

  listen(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * All events from now on, also those before the first read. Unread events are kept until the end, or until the reader
   * leaves; a reader that never began leaves by `return`.
   */
  read(): AsyncGenerator<Event, void> {
    const reader = new ItemQueue<Event>();
    if (this.#isOver) reader.close();
    else this.#readers.add(reader);
    const events = this.#drain(reader);
    const leave = events.return.bind(events);
    // `return` runs no `finally` of a generator that never began, and does not interrupt one that awaits an item.
    events.return = (value) => {
      this.#readers.delete(reader);
      reader.close();
      return leave(value);
    };
    return events;
  }

  end(): void {
    this.#isOver = true;
    for (const reader of this.#readers) reader.close();
    this.#readers.clear();
  }

  async *#drain(reader: ItemQueue<Event>): AsyncGenerator<Event, void> {
    try {
      yield* reader;
    } finally {
      this.#readers.delete(reader);
    }
  }
}

/** Items in their order, for one reader; it ends after `close`. */
export class ItemQueue<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  push(item: Item): void {
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#isClosed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** Calls a listener. If it throws, or returns a promise that rejects, only `onFailure` is called. */
export function callListener<Item>(
  listener: (item: Item) => unknown,
  item: Item,
  onFailure: () => void = () => {},
): void {
  try {
    Promise.resolve(listener(item)).catch(onFailure);
  } catch {
    onFailure();
  }
}
