/** Passes values from one task to another, one at a time: the sender goes on when the reader asks for the next value. */
export class Handoff<T> {
  readonly #waiting: { readonly value: T; taken(): void }[] = [];
  #isEnded = false;
  #wake = () => {};

  /** Resolves when the reader has done with the value. After the end it does nothing. */
  send(value: T): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((taken) => {
      this.#waiting.push({ value, taken });
      this.#wake();
    });
  }

  /** Ends the reader after what it was sent. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          try {
            yield next.value;
          } finally {
            next.taken();
          }
        } else if (this.#isEnded) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#isEnded = true;
      for (const { taken } of this.#waiting.splice(0)) taken();
    }
  }
}
