/** Time for everything that waits. Tests pass one that they advance themselves. */
export interface Clock {
  /** ms */
  now(): number;
  /** Calls back once, after so many ms. Returns the function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** Above this setTimeout calls back at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Its timers do not keep the process running. */
export const backgroundClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};

/** Doubles with each failure: the first one waits `firstMs`, and none waits longer than `mostMs`. */
export function delayAfter(
  failures: number,
  { firstMs, mostMs }: { firstMs: number; mostMs: number },
): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 40));
}
