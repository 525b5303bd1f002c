import type { OutgoingMedia } from '../../media/contract.ts';
import type { ChannelMedia, SendFailure, SendRequest } from '../contract.ts';
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

export interface ReplyFileOptions {
  readonly media: ChannelMedia;
  readonly wait: FileTries['wait'];
  readonly request: Pick<SendRequest, 'signal' | 'allowTime' | 'skipFiles' | 'onFile'>;
}

/** All tries of a download that never ends, of which each is ended after a minute. */
const READ_MS = 190_000;

/** A file of a reply, or why it cannot be sent, which people read in its place. Rejects when the send is aborted. */
export async function readReplyFile(
  url: string,
  options: ReplyFileOptions,
): Promise<OutgoingMedia | { readonly reason: string }> {
  const file = await tryReplyFile(url, options);
  options.request.onFile?.(url, 'reason' in file ? file.reason : undefined);
  return file;
}

async function tryReplyFile(url: string, { media, wait, request }: ReplyFileOptions) {
  const { signal, skipFiles } = request;
  if (skipFiles !== undefined) return { reason: skipFiles };
  try {
    await request.allowTime(READ_MS);
    return await tryFile(() => media.read(url, signal), { signal, wait });
  } catch (error) {
    // Nothing is sent while a file is read.
    const { message } = error as Error;
    throw sendFailure(message, { isPermanent: false, mayHaveArrived: false, cause: error });
  }
}

const ANSWER_MS = 60_000;
/** A slow line: 100 kB a second. */
const BYTES_PER_MS = 100;

/** How long an upload of so many bytes may take, ms. */
export function uploadMs(bytes: number): number {
  return ANSWER_MS + Math.ceil(bytes / BYTES_PER_MS);
}
