import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { OpenFile, type ReadableFile } from '../disk/open-file.ts';
import { MAX_LINE_BYTES } from '../transcript/lines.ts';

export interface BackwardLine {
  start: number;
  end: number;
  /** The line without its line end. Undefined when it is too long to be held. */
  bytes: Buffer | undefined;
}

const FIRST_CHUNK = 64 * 1024;
const LARGEST_CHUNK = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** The lines of the first `size` bytes of a file, last one first, reading no more than what is asked for. */
export async function* readLinesBackwards(
  handle: ReadableFile,
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

/** Reading so little takes less time than asking another thread for it. */
export const SMALL = FIRST_CHUNK;

/** Shorter than asked for when the file ends before `end`. */
export async function readRange(handle: ReadableFile, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const args = [buffer, filled, buffer.length - filled, start + filled] as const;
    const count =
      buffer.length > SMALL ? (await handle.read(...args)).bytesRead : readSync(handle.fd, ...args);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** The lines that a file has now, last one first. No more of it is read than what is asked for. */
export async function* readFileLinesBackwards(path: string): AsyncGenerator<BackwardLine> {
  const handle = new OpenFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    yield* readLinesBackwards(handle, fstatSync(handle.fd).size);
  } finally {
    handle.close();
  }
}

/** Fills `bytes` from the beginning of a file. Returns how many there were; fewer than asked for at the file's end. */
export function readFileStart(path: string, bytes: Buffer): number {
  // A pipe in the place of a file is not waited for.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return fill(fd, bytes, 0);
  } finally {
    closeSync(fd);
  }
}

/**
 * Fills `start` from the beginning of a file and `end` with its last bytes. Returns how many there were; none at the end
 * where the start is all of it. The two may overlap, so that a line of the file's middle is whole in one of them.
 */
export function readFileEnds(path: string, start: Buffer, end: Buffer): { started: number; ended: number } {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const started = fill(fd, start, 0);
    if (started < start.length) return { started, ended: 0 };
    const from = Math.max(0, fstatSync(fd).size - end.length);
    return { started, ended: fill(fd, end, from) };
  } finally {
    closeSync(fd);
  }
}

function fill(fd: number, bytes: Buffer, from: number): number {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
    filled += count;
    if (count === 0) break;
  }
  return filled;
}

/**
 * Hands out the bytes from `from` to `to`, or to the end where that comes first. Two chunks in turn: the disk fills one
 * while the other is looked at.
 * @param isEnough is asked behind each chunk but the last one; true ends it there
 */
export async function readAhead(
  handle: ReadableFile,
  chunks: readonly [Buffer, Buffer],
  from: number,
  to: number,
  take: (chunk: Buffer, count: number, offset: number) => void,
  isEnough: () => boolean = () => false,
): Promise<void> {
  let [current, next] = chunks;
  let at = from;
  const read = (into: Buffer) => handle.read(into, 0, Math.min(into.length, to - at), at);
  if (at >= to) return;
  let reading = read(current);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    const offset = at;
    at += bytesRead;
    const isLast = at >= to;
    if (!isLast) reading = read(next);
    let isOver = true;
    try {
      take(current, bytesRead, offset);
      isOver = isLast || isEnough();
    } finally {
      // The read under way still writes into memory of ours.
      if (isOver && !isLast) await reading.catch(() => {});
    }
    if (isOver) return;
    [current, next] = [next, current];
  }
}
