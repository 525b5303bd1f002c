import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

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

/** The last bytes of a file, as many as there is room for; `isWhole` where that is all of it. */
export function readFileEnd(path: string, bytes: Buffer): { count: number; isWhole: boolean } {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const from = Math.max(0, fstatSync(fd).size - bytes.length);
    return { count: fill(fd, bytes, from), isWhole: from === 0 };
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
