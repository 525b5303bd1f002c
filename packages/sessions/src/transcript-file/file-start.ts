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
