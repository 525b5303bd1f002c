import type { Clock } from '../../src/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time passes only when a test says so. */
export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now: number;

  /** @param now where it begins, ms */
  constructor(now = 1_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many callbacks wait for their time. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Lets everything happen that needs no time, and then that which needs so much. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
      await settle();
    }
    this.#now = end;
  }

  /** Lets time pass from timer to timer until this holds. */
  async until(isDone: () => boolean | Promise<boolean>, mostMs = 3_600_000): Promise<void> {
    const end = this.#now + mostMs;
    await settle();
    while (!(await isDone())) {
      const next = this.#next(end);
      if (next === undefined) throw new Error('Nothing happens any more, and it is not done.');
      await this.advance(next.at - this.#now);
    }
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer;
    return first;
  }
}

/** Drivers in memory need some rounds of the event loop; a timer of 0 ms of Node is among them. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 1));
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}
