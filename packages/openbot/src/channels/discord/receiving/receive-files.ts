import { type MsgContext, OpenBotError } from '@openbot/sessions';
import type { KeptMedia, MissingMedia } from '../../../media/contract.ts';
import { mediaFields } from '../../../media/media-fields.ts';
import type { ChannelMedia } from '../../contract.ts';
import type { DiscordApi } from '../discord-api.ts';
import { describeError } from '../sending/send-errors.ts';
import type { Timing } from '../timing.ts';
import { readWireMessage, type WireFile, type WireMessage } from './wire-message.ts';

export interface FileParts {
  readonly media: ChannelMedia;
  readonly api: DiscordApi;
  readonly apiRoot: string;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

const TRIES = 3;
const DOWNLOAD_MS = 120_000;
/** Nothing else is fetched, whatever a message names. */
const FILE_HOSTS = ['cdn.discordapp.com', 'media.discordapp.net'];

/** Downloads the files of a message. One that does not come is told as missing, so that it is not silently lost. */
export async function receiveFiles(message: WireMessage, parts: FileParts): Promise<MsgContext> {
  const kept: KeptMedia[] = [];
  const missing: MissingMedia[] = [];
  for (const file of message.files) {
    const result = await receiveFile(message, file, parts);
    if ('path' in result) kept.push(result);
    else missing.push(result);
  }
  return mediaFields(kept, missing);
}

async function receiveFile(
  message: WireMessage,
  file: WireFile,
  parts: FileParts,
): Promise<KeptMedia | MissingMedia> {
  const { media, timing, signal } = parts;
  const named = { name: file.name, type: file.type };
  if (file.size > media.maxBytes) return { ...named, reason: `larger than ${showMegabytes(media.maxBytes)}` };
  let { url } = file;
  for (let tries = 1; ; tries++) {
    try {
      return await media.keep({ bytes: download(url, parts), declaredType: file.type, name: file.name });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OpenBotError && error.code === 'MEDIA_TOO_LARGE') {
        return { ...named, reason: `larger than ${showMegabytes(media.maxBytes)}` };
      }
      if (error instanceof OpenBotError || error instanceof ForeignAddress || tries === TRIES) {
        return { ...named, reason: `could not be downloaded: ${describeError(error)}` };
      }
      // The address of a file is good for a day.
      if (error instanceof BadStatus) url = (await findFile(message, file, parts)) ?? url;
      await timing.wait(1000 * 4 ** (tries - 1), signal);
    }
  }
}

class BadStatus extends Error {}
class ForeignAddress extends Error {}

async function* download(url: string, { apiRoot, signal }: FileParts): AsyncGenerator<Uint8Array> {
  const { protocol, hostname, origin } = new URL(url);
  const isOurs =
    origin === new URL(apiRoot).origin || (protocol === 'https:' && FILE_HOSTS.includes(hostname));
  if (!isOurs) throw new ForeignAddress('it is not on a server of Discord');
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_MS)]);
  const response = await fetch(url, { signal: limit, redirect: 'error' });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new BadStatus(`the server answered with status ${response.status}`);
  }
  yield* response.body;
}

async function findFile(
  { channelId, id }: WireMessage,
  file: WireFile,
  { api, signal }: FileParts,
): Promise<string | undefined> {
  try {
    const raw = await api.call('GET', `/channels/${channelId}/messages/${id}`, { signal });
    return readWireMessage(raw)?.files.find((one) => one.id === file.id)?.url;
  } catch {
    return undefined;
  }
}

function showMegabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`;
}
