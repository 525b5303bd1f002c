/** Who listens to the signal has this much to stop; and when this process was busy, an answer may be waiting. */
const GRACE_MS = 500;

/**
 * What a look finds; undefined where it takes longer than it may. It is then asked to stop by the signal, and nobody waits
 * for it, whether it listens or not. What it throws in time is thrown.
 */
export async function lookInTime<T>(
  look: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
): Promise<T | undefined> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      timer = setTimeout(() => resolve(undefined), GRACE_MS);
      controller.abort(new Error(`it took longer than ${timeoutMs} ms`));
    }, timeoutMs);
  });
  const looking = (async () => look(controller.signal))().catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
    return undefined;
  });
  try {
    return await Promise.race([looking, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
