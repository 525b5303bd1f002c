import type { Clock } from '../../clock.ts';

/** Resolves after so many ms, or when the signal ends it. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Gives work a signal that ends with the given one, or after so many ms. */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const reason = new Error(`no answer in ${Math.round(ms / 1000)} s`);
  const cancel = clock.after(ms, () => controller.abort(reason));
  try {
    return await work(AbortSignal.any([signal, controller.signal]));
  } finally {
    cancel();
  }
}
