export interface RefusedCallsOptions {
  now(): number;
  /** What is wrong where the calls are not forged: a sentence without its point. */
  readonly hint: string;
}

const REPORT_MS = 10 * 60_000;

/**
 * Calls to us that were not signed rightly. Anybody can make them, so they are no failure of the account; a person who
 * mistyped the secret is told.
 */
export class RefusedCalls {
  readonly #options: RefusedCallsOptions;
  #count = 0;
  #since = 0;
  #why = '';
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RefusedCallsOptions) {
    this.#options = options;
  }

  /** @returns what the owner is told, now and then */
  refuse(why: string): string | undefined {
    const now = this.#options.now();
    if (this.#count === 0) this.#since = now;
    this.#count++;
    this.#why = why;
    if (now - this.#reportedAt < REPORT_MS) return undefined;
    this.#reportedAt = now;
    return this.warning;
  }

  /** One was right: the secret is. */
  forget(): void {
    this.#count = 0;
  }

  get warning(): string | undefined {
    if (this.#count === 0) return undefined;
    const calls = this.#count === 1 ? '1 call was' : `${this.#count} calls were`;
    const since = new Date(this.#since).toISOString();
    return `${calls} refused since ${since}, and none was right: ${this.#why} ${this.#options.hint}`;
  }
}
