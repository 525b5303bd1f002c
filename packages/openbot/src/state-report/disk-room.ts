import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

export const MEGABYTE = 1024 * 1024;
/** Below it, writes soon fail. */
export const LEAST_FREE = 20 * MEGABYTE;

/** What a user may still write on the disk of a folder, which need not exist. Bytes; Infinity where it is not known */
export function freeBytesOf(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(findExisting(folder));
  // A FUSE program without statfs: all its figures are 0.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function findExisting(folder: string): string {
  return existsSync(folder) ? folder : findExisting(dirname(folder));
}
