import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ArchiveReason, archiveFileName } from '../layout/file-name.ts';

/** Its name, at `at` or the first free millisecond after it. The transcript's lock must be held. */
export async function findFreeArchivePath(path: string, reason: ArchiveReason, at: number): Promise<string> {
  for (let ms = at; ; ms++) {
    const candidate = join(dirname(path), archiveFileName(basename(path), reason, ms));
    if ((await lstat(candidate).catch(() => undefined)) === undefined) return candidate;
  }
}
