import { OpenBotError } from '@openbot/sessions';
import { tooLarge } from './limits.ts';

/** The bytes of a file, before it is known what it is. */
export interface RawMedia {
  readonly bytes: Buffer;
  readonly declaredType?: string;
  readonly name?: string;
}

const HEAD = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/i;

/** Throws MEDIA_REFUSED, MEDIA_TOO_LARGE. */
export function readDataUrl(url: string, maxBytes: number): RawMedia {
  const [head, declaredType, isBase64] = HEAD.exec(url.slice(0, 1000)) ?? [];
  if (head === undefined) throw new OpenBotError('MEDIA_REFUSED', 'It is no data: URL');
  const text = url.slice(head.length);
  const bytes = isBase64 ? decodeBase64(text, maxBytes) : decodePercent(text);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return { bytes, ...(declaredType && { declaredType }) };
}

/** Line ends are allowed. Throws MEDIA_REFUSED, MEDIA_TOO_LARGE. */
export function decodeBase64(text: string, maxBytes: number): Buffer {
  const plain = /\s/.test(text) ? text.replaceAll(/\s+/g, '') : text;
  if (Math.floor((plain.length * 3) / 4) - 2 > maxBytes) throw tooLarge(maxBytes);
  const isWhole = plain.endsWith('=') ? plain.length % 4 === 0 : plain.length % 4 !== 1;
  if (!isWhole || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain))
    throw new OpenBotError('MEDIA_REFUSED', 'The file is not valid base64');
  const bytes = Buffer.from(plain, 'base64');
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function decodePercent(text: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(text));
  } catch (cause) {
    throw new OpenBotError('MEDIA_REFUSED', 'The data: URL is not encoded as it says', { cause });
  }
}
