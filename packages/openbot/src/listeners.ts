/** Those who want to hear of something. One that throws is reported as a process warning and stops nothing. */
export class Listeners<T = void> {
  readonly #listeners = new Set<{ call: (value: T) => void }>();
  readonly #of: string;
  readonly #begin: () => () => void;
  #end: (() => void) | undefined;

  /**
   * @param of what the warning calls them
   * @param begin is called for the first listener; what it returns, after the last one
   */
  constructor(of: string, begin: () => () => void = () => () => {}) {
    this.#of = of;
    this.#begin = begin;
  }

  /** Returns the function that ends it. */
  add(listener: (value: T) => void): () => void {
    const registration = { call: listener };
    this.#listeners.add(registration);
    this.#end ??= this.#begin();
    return () => {
      this.#listeners.delete(registration);
      if (this.#listeners.size === 0) this.end();
    };
  }

  call(value: T): void {
    for (const { call } of [...this.#listeners]) {
      try {
        call(value);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        process.emitWarning(`A listener ${this.#of} failed: ${text}`, { code: 'OPENBOT_LISTENER' });
      }
    }
  }

  end(): void {
    this.#listeners.clear();
    this.#end?.();
    this.#end = undefined;
  }
}
