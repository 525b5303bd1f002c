import type { OutgoingMedia } from '../../media/contract.ts';
import type { ChannelMedia, SendFailure } from '../contract.ts';
import { sendFailure } from '../send-failure.ts';

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

/** A file of a reply, or why it cannot be sent, which people read in its place. Rejects when the send is aborted. */
export async function readReplyFile(
  url: string,
  media: ChannelMedia,
  tries: FileTries,
): Promise<OutgoingMedia | { readonly reason: string }> {
  try {
    return await tryFile(() => media.read(url, tries.signal), tries);
  } catch (error) {
    // Nothing is sent while a file is read.
    const { message } = error as Error;
    throw sendFailure(message, { isPermanent: false, mayHaveArrived: false, cause: error });
  }
}
