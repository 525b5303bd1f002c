import { OpenBotError } from '@openbot/sessions';
import type { ReadOutgoingMedia } from '../contract.ts';
import { type RawMedia, readDataUrl } from '../data-url.ts';
import { safeName } from '../safe-name.ts';
import { kindOf, SNIFFED_BYTES, typeOf } from '../types.ts';
import { download } from './download.ts';
import { readLocal } from './read-local.ts';

export const readOutgoingMedia: ReadOutgoingMedia = async (settings, url, signal) => {
  const { bytes, declaredType, name } = await read(settings, url, signal);
  if (bytes.length === 0) throw new OpenBotError('MEDIA_REFUSED', 'The file to send is empty');
  const type = typeOf(bytes.subarray(0, SNIFFED_BYTES), { declared: declaredType, name });
  return { bytes, type, kind: kindOf(type), name: safeName(name, type) };
};

async function read(
  settings: Parameters<ReadOutgoingMedia>[0],
  url: string,
  signal: AbortSignal | undefined,
): Promise<RawMedia> {
  if (/^data:/i.test(url)) return readDataUrl(url, settings.maxBytes);
  if (/^https?:\/\//i.test(url)) return download(settings, url, signal);
  if (/^[a-z][a-z0-9+.-]+:/i.test(url))
    throw new OpenBotError('MEDIA_REFUSED', 'A file to send is a path, an http(s) address or a data: URL');
  return readLocal(settings, url);
}
