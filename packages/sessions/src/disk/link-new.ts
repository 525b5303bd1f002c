import { linkSync, lstatSync } from 'node:fs';

// EXDEV: the two names would be on different disks.
const NO_HARD_LINKS = new Set(['EXDEV', 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/**
 * Gives a complete file, so far known by a name of its own, the name that others look for. Fails with EEXIST when that
 * one is taken. False where there can be no hard link between the two.
 */
export function linkNew(file: string, path: string, link = linkSync): boolean {
  try {
    link(file, path);
    return true;
  } catch (error) {
    // A network file system may report failure for a link that it made.
    if (lstatSync(file, { throwIfNoEntry: false })?.nlink === 2) return true;
    if (NO_HARD_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
