import { setTimeout } from 'node:timers/promises';

/** Time, so that tests need not wait. */
export interface Timing {
  now(): number;
  /** Ends early, without a failure, when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export function realTiming(now: () => number): Timing {
  return {
    now,
    wait: async (ms, signal) => {
      await setTimeout(ms, undefined, { signal }).catch(() => {});
    },
  };
}
