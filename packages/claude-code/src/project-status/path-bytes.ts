import { isUtf8 } from 'node:buffer';

/** A file name as text. Bytes that are no UTF-8 are written as `\xff`, so that names that differ in them still do. */
export function decodePath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    text +=
      length > 0 ? bytes.toString('utf8', at, at + length) : `\\x${bytes[at]!.toString(16).padStart(2, '0')}`;
    at += Math.max(1, length);
  }
  return text;
}

/** How many bytes make the character that begins here; 0 where none does. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
