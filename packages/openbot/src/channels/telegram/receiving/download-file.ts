import { OpenBotError } from '@openbot/sessions';
import { type Clock, delayAfter } from '../../../clock.ts';
import type { KeptMedia, MissingMedia } from '../../../media/contract.ts';
import type { ChannelMedia } from '../../contract.ts';
import { sendFailure } from '../../send-failure.ts';
import { pause, within } from '../pause.ts';
import { isCallFailure, type TelegramApi } from '../telegram-api.ts';
import type { TelegramFile } from './message-files.ts';

export interface DownloadTools {
  readonly api: TelegramApi;
  readonly media: ChannelMedia;
  readonly clock: Clock;
  /** Ends the download; the message is not taken then, and comes again. */
  readonly signal: AbortSignal;
}

const TRIES = 4;
const DELAYS = { firstMs: 1000, mostMs: 10_000 };
/** Without a byte for so long a try is given up. */
const QUIET_MS = 5000;
/**
 * Of all tries. The message waits for its file, and Telegram gives no more than a batch behind a message that waits: so
 * a file may not hold it up for long.
 */
const ALL_MS = 20_000;

type Download = { readonly kept: KeptMedia } | { readonly missing: MissingMedia };

/** Keeps a file of a message, or says why it is missing, once further tries are of no use. */
export async function downloadFile(file: TelegramFile, tools: DownloadTools): Promise<Download> {
  const { media, clock, signal } = tools;
  const missing = (reason: string) => ({
    missing: {
      ...(file.name !== undefined && { name: file.name }),
      ...(file.type !== undefined && { type: file.type }),
      reason,
    },
  });
  if ((file.size ?? 0) > media.maxBytes) return missing(`larger than ${showSize(media.maxBytes)}`);
  return within(clock, ALL_MS, signal, async (end): Promise<Download> => {
    for (let tries = 1; ; tries++) {
      try {
        return { kept: await download(file, tools, end) };
      } catch (error) {
        signal.throwIfAborted();
        if (isFinal(error)) return missing((error as Error).message);
        if (tries === TRIES) return missing(`the download failed ${TRIES} times`);
        const retryAfterMs = isCallFailure(error) ? (error.retryAfterMs ?? 0) : 0;
        await pause(clock, Math.max(delayAfter(tries, DELAYS), retryAfterMs), end);
        signal.throwIfAborted();
        if (end.aborted) return missing(`the download was not done in ${ALL_MS / 1000} s`);
      }
    }
  });
}

async function download(
  file: TelegramFile,
  { api, media, clock }: DownloadTools,
  end: AbortSignal,
): Promise<KeptMedia> {
  const quiet = new AbortController();
  const signal = AbortSignal.any([end, quiet.signal]);
  let cancel = () => {};
  const listen = () => {
    cancel();
    cancel = clock.after(QUIET_MS, () => quiet.abort(new Error(`no answer in ${QUIET_MS / 1000} s`)));
  };
  try {
    listen();
    const { file_path } = await api.call<{ file_path?: unknown }>('getFile', { file_id: file.id }, signal);
    // A server of one's own may name a file of its disk instead.
    if (typeof file_path !== 'string' || file_path.startsWith('/') || file_path.split('/').includes('..'))
      throw sendFailure('Telegram named no place to download it from', {
        isPermanent: true,
        mayHaveArrived: false,
      });
    listen();
    const response = await fetch(api.fileUrl(file_path), { signal, redirect: 'error' });
    // The address has the token, so no error of `fetch` goes further than this file.
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    return await media.keep({
      bytes: hear(response.body, listen),
      name: file.name ?? file_path.split('/').at(-1),
      ...(file.type !== undefined && { declaredType: file.type }),
    });
  } finally {
    cancel();
  }
}

async function* hear(bytes: AsyncIterable<Uint8Array>, listen: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    listen();
    yield chunk;
  }
}

function isFinal(error: unknown): boolean {
  if (isCallFailure(error)) return error.isPermanent;
  return error instanceof OpenBotError && ['MEDIA_TOO_LARGE', 'MEDIA_REFUSED'].includes(error.code);
}

function showSize(bytes: number): string {
  return bytes >= 1_000_000 ? `${Math.floor(bytes / 1_000_000)} MB` : `${bytes} bytes`;
}
