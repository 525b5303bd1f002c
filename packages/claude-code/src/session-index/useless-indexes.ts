import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX_VERSION, readTitle } from './index-file.ts';

/** More than the longest path, escaped. */
const TITLE_BYTES = 16 * 1024;

/**
 * Removes the indexes of folders without sessions, because they contain what people typed, and those of older versions,
 * which are not read any more and may contain secrets. An index that cannot be read or removed stays.
 */
export function removeUselessIndexes(cacheDir: string, holdsSessions: (folder: string) => boolean): void {
  for (const name of readNames(cacheDir)) {
    const path = join(cacheDir, name);
    try {
      const title = readTitle(readBeginning(path));
      if (title === undefined) continue;
      if (title.version < INDEX_VERSION || !holdsSessions(title.folder)) rmSync(path, { force: true });
    } catch {}
  }
}

function readBeginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(TITLE_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, TITLE_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function readNames(cacheDir: string): string[] {
  try {
    return readdirSync(cacheDir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.index'))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
