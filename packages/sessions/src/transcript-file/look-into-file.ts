import { closeSync, constants, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type BackwardLine, readLinesBackwards } from './backward-lines.ts';

/** A pipe in the place of a file is not waited for. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Fills `bytes` from the beginning of a file. Returns how many there were; fewer than asked for at the file's end. */
export function readFileStart(path: string, bytes: Buffer): number {
  const fd = openSync(path, READING);
  try {
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, filled);
      filled += count;
      if (count === 0) break;
    }
    return filled;
  } finally {
    closeSync(fd);
  }
}

/** The lines that a file has now, last one first. No more of it is read than what is asked for. */
export async function* readFileLinesBackwards(path: string): AsyncGenerator<BackwardLine> {
  const handle = await open(path, READING);
  try {
    yield* readLinesBackwards(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}
