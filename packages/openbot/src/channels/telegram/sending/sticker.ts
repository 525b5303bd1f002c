import type { OutgoingMedia } from '../../../media/contract.ts';
import { imageSize } from '../../../media/image-size.ts';

/** Telegram's limits, by what a sticker is made of. */
const MOST_BYTES: Readonly<Record<string, number>> = {
  'image/webp': 512 * 1024,
  'video/webm': 256 * 1024,
  'application/x-tgsticker': 64 * 1024,
};
/** One side of a sticker has so many pixels, and the other no more. */
const SIDE = 512;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Of this name a file is nothing but a sticker. */
export function isNamedSticker(url: string): boolean {
  if (/^data:/i.test(url)) return /^data:application\/x-tgsticker[;,]/i.test(url);
  return /\.tgs$/i.test(url.replace(/[?#].*$/s, ''));
}

/** Whether it has the form of a sticker. Pictures and films may have that too. */
export function looksLikeSticker({ type, bytes }: Pick<OutgoingMedia, 'type' | 'bytes'>): boolean {
  if (bytes.length > (MOST_BYTES[type] ?? 0)) return false;
  if (type === 'application/x-tgsticker') return true;
  const size =
    type === 'video/webm' ? readFilmSize(bytes) : isMovingWebp(bytes) ? undefined : imageSize(bytes);
  return size !== undefined && Math.max(size.width, size.height) === SIDE;
}

/** Telegram shows none of these as a sticker. */
function isMovingWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 0x02) !== 0;
}

/** Elements of WebM, by their ids. */
const WIDTH = 0xb0;
const HEIGHT = 0xba;
const SOUND = 0xe1;
/** The first pictures: what is wanted is in front of them. */
const CLUSTER = 0x1f43b675;
/** Segment, tracks, track and video: the size is in them, one inside of the other. */
const ENTERED = [0x18538067, 0x1654ae6b, 0xae, 0xe0];

/** Of a WebM without sound. */
function readFilmSize(bytes: Buffer): Size | undefined {
  let [width, height] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    const idEnd = at + lengthOf(bytes[at]!);
    const id = readNumber(bytes, at, idEnd);
    const begin = idEnd + lengthOf(bytes[idEnd] ?? 0);
    const size = readNumber(bytes, idEnd, begin) - 2 ** (7 * (begin - idEnd));
    // It is damaged.
    if (size < 0 || id === SOUND) return undefined;
    if (id === CLUSTER) break;
    if (id === WIDTH) width = readNumber(bytes, begin, begin + size);
    if (id === HEIGHT) height = readNumber(bytes, begin, begin + size);
    at = ENTERED.includes(id) ? begin : begin + size;
  }
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Of an id or a size, whose first byte tells it. */
function lengthOf(first: number): number {
  return Math.max(1, Math.clz32(first) - 23);
}

function readNumber(bytes: Buffer, begin: number, end: number): number {
  return bytes.subarray(begin, end).reduce((value, byte) => value * 256 + byte, 0);
}
