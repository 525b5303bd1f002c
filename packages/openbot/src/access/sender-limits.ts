/** Beyond so many senders the one that has been counted longest is forgotten. */
const MOST_SENDERS = 10_000;

interface Window {
  readonly startedAt: number;
  count: number;
}

/** Counts what senders do in windows of a fixed length. In memory: a restart begins anew. */
export class SenderLimits {
  readonly #windowMs: number;
  readonly #windows = new Map<string, Window>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** How many there were in the window of the sender, this one included. */
  count(sender: string, now: number): number {
    const former = this.#find(sender, now);
    if (former !== undefined) return ++former.count;
    this.#windows.delete(sender);
    this.#windows.set(sender, { startedAt: now, count: 1 });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_SENDERS && oldest !== undefined) this.#windows.delete(oldest);
    return 1;
  }

  /** How many there were, without another one. */
  look(sender: string, now: number): number {
    return this.#find(sender, now)?.count ?? 0;
  }

  #find(sender: string, now: number): Window | undefined {
    const window = this.#windows.get(sender);
    // A clock that was set back ends a window too.
    const isOpen = window !== undefined && now >= window.startedAt && now - window.startedAt < this.#windowMs;
    return isOpen ? window : undefined;
  }
}
