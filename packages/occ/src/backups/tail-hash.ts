import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/** Enough to distinguish two states of a session: every rewrite changes its end or its length. */
const LENGTH = 64 * 1024;

/** The hash of the end of a file's first `bytes` bytes; undefined where it is shorter. */
export function hashTail(path: string, bytes: number): string | undefined {
  const file = openSync(path, 'r');
  try {
    const length = Math.min(LENGTH, bytes);
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(file, buffer, filled, length - filled, bytes - length + filled);
      if (count === 0) return undefined;
      filled += count;
    }
    return createHash('sha256').update(buffer).digest('hex');
  } finally {
    closeSync(file);
  }
}
