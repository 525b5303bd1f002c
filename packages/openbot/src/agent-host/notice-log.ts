/** How long the same text is counted before it is written again. ms */
const PAUSE_MS = 60_000;

/** Texts that are counted at once; the oldest is forgotten for another. */
const MOST_TEXTS = 1000;

interface Said {
  readonly at: number;
  /** Since then, and not written. */
  more: number;
}

/** Writes what the agents report for the owner. What fails again and again must not push everything else out of the log. */
export class NoticeLog {
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  readonly #said = new Map<string, Said>();

  constructor(log: (line: string) => void, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  write(text: string): void {
    const now = this.#now();
    const said = this.#said.get(text);
    if (said !== undefined && now - said.at < PAUSE_MS) {
      said.more++;
      return;
    }
    this.#said.delete(text);
    if (this.#said.size >= MOST_TEXTS) this.#forgetOldest();
    this.#said.set(text, { at: now, more: 0 });
    this.#log(`${text}${count(said)}`);
  }

  /** Writes what was counted only. */
  end(): void {
    while (this.#said.size > 0) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [text, said] = this.#said.entries().next().value!;
    this.#said.delete(text);
    if (said.more > 0) this.#log(`${text}${count(said)}`);
  }
}

function count(said: Said | undefined): string {
  return said === undefined || said.more === 0 ? '' : ` (${said.more} more before)`;
}
