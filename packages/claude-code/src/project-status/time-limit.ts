/** The longest time of a timer. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The result of some work, or undefined if it takes longer than it may. Its signal then asks it to stop; after the grace
 * period the caller stops waiting, whether or not the work does. Throws what the work throws in time.
 * @param graceMs for work that stops at the signal; and while this process was busy, a result may have come in time
 */
export async function withTimeLimit<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  graceMs = 500,
): Promise<T | undefined> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      timer = setTimeout(() => resolve(undefined), graceMs);
      controller.abort(new Error(`it took longer than ${timeoutMs} ms`));
    }, timeoutMs);
  });
  const working = (async () => work(controller.signal))().catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
    return undefined;
  });
  try {
    return await Promise.race([working, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
