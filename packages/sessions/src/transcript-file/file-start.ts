import { closeSync, constants, openSync, readSync } from 'node:fs';

/** Fills `bytes` from the beginning of a file. Returns how many there were; fewer than asked for at the file's end. */
export function readFileStart(path: string, bytes: Buffer): number {
  // A pipe in the place of a file is not waited for.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
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
