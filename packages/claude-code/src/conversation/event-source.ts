import { callListener } from './call-listener.ts';
import { ItemQueue } from './item-queue.ts';

/** Tells listeners and readers what happens. One that fails takes nothing from the others, nor from the run. */
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
   * Everything from now on, also what comes before the first of it is read. What is not read yet is kept until the reader
   * leaves, which is by `return` for one that never began, or until the end.
   */
  read(): AsyncGenerator<Event, void> {
    const reader = new ItemQueue<Event>();
    if (this.#isOver) reader.close();
    else this.#readers.add(reader);
    const events = this.#drain(reader);
    const leave = events.return.bind(events);
    // A generator that never began has no end of its own, and one that waits would first have to be given something.
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
