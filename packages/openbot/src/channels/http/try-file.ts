import type { SendFailure } from '../contract.ts';

export interface FileTries {
  /** Ends all tries. */
  readonly signal: AbortSignal;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const WAITS_MS = [300, 1500];

/** Gets a file, in or out. What fails is tried again and then given up with the reason: a message does not wait for its file. */
export async function tryFile<T extends object>(
  get: () => Promise<T>,
  { signal, wait }: FileTries,
): Promise<T | { readonly reason: string }> {
  for (let tries = 0; ; tries++) {
    try {
      return await get();
    } catch (error) {
      signal.throwIfAborted();
      const { message, code, isPermanent } = error as SendFailure & { code?: string };
      const isFinal = isPermanent === true || code === 'MEDIA_TOO_LARGE' || code === 'MEDIA_REFUSED';
      const waitMs = WAITS_MS[tries];
      if (isFinal || waitMs === undefined) return { reason: message };
      await wait(waitMs, signal);
    }
  }
}
