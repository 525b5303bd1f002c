import { InputStream } from './input-stream.ts';

/** Tells listeners and readers what happens. One that fails takes nothing from the others, nor from the run. */
export class EventSource<Event> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #readers = new Set<InputStream<Event>>();
  #isOver = false;

  emit(event: Event): void {
    for (const reader of this.#readers) reader.push(event);
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch {
        // Whoever listens answers for himself.
      }
    }
  }

  listen(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Everything from now on. What is not read yet is kept until the reader leaves. */
  read(): AsyncGenerator<Event, void> {
    const reader = new InputStream<Event>();
    if (this.#isOver) reader.close();
    else this.#readers.add(reader);
    return this.#drain(reader);
  }

  end(): void {
    this.#isOver = true;
    for (const reader of this.#readers) reader.close();
  }

  async *#drain(reader: InputStream<Event>): AsyncGenerator<Event, void> {
    try {
      yield* reader;
    } finally {
      this.#readers.delete(reader);
    }
  }
}
