import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE_BYTES } from '../transcript/lines.ts';

export type BackwardLine = {
  start: number;
  end: number;
  /** The line without its line end. Undefined when it is too long to be held. */
  bytes: Buffer | undefined;
};

const FIRST_CHUNK = 64 * 1024;
const LARGEST_CHUNK = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** The lines of the first `size` bytes of a file, last one first, reading no more than what is asked for. */
export async function* readLinesBackwards(
  handle: FileHandle,
  size: number,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<BackwardLine> {
  let end = size;
  let window: Buffer = Buffer.alloc(0);
  let windowStart = size;
  let chunk = FIRST_CHUNK;
  while (end > 0) {
    // The line feed at `end` belongs to the line before it.
    let at = window.subarray(0, end - windowStart).lastIndexOf(LINE_FEED);
    while (at < 0 && windowStart > 0) {
      const from = Math.max(0, windowStart - chunk);
      window = await readRange(handle, from, Math.min(windowStart, end));
      windowStart = from;
      chunk = Math.min(chunk * 2, LARGEST_CHUNK);
      at = window.lastIndexOf(LINE_FEED);
    }
    const start = at < 0 ? 0 : windowStart + at + 1;
    const isHere = start >= windowStart && end <= windowStart + window.length;
    if (start < end) {
      const bytes =
        end - start > maxLineBytes
          ? undefined
          : isHere
            ? window.subarray(start - windowStart, end - windowStart)
            : await readRange(handle, start, end);
      yield { start, end, bytes };
    }
    end = start - 1;
  }
}

/** Shorter than asked for when the file ends before `end`. */
export async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
