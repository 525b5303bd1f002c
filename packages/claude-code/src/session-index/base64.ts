/** A multiple of three, so that the pieces of a text are one text. */
const PIECE = 48 * 1024;

export function sizeInBase64({ length }: Buffer): number {
  return Math.ceil(length / 3) * 4;
}

/** Writes bytes as text, piece by piece: tables of megabytes are not to be in memory twice. Returns the place behind it. */
export function writeInBase64(bytes: Buffer, into: Buffer, at: number): number {
  let end = at;
  for (let from = 0; from < bytes.length; from += PIECE) {
    end += into.write(bytes.toString('base64', from, from + PIECE), end, 'latin1');
  }
  return end;
}

export function readBase64(text: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor(text.length / 4) * 3);
  const piece = (PIECE / 3) * 4;
  let end = 0;
  for (let from = 0; from < text.length; from += piece) {
    end += bytes.write(text.toString('latin1', from, from + piece), end, 'base64');
  }
  return bytes.subarray(0, end);
}
