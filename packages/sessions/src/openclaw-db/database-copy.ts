import { constants, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unreadable } from './database-faults.ts';
import type { FileVersions } from './file-versions.ts';

export type DatabaseCopy = { readonly path: string; remove(): void };

/**
 * A copy of a database that nobody has open, with what a writer that ended badly left beside it: SQLite can only take
 * that in by writing. The folder is readable by this user alone.
 */
export function copyDatabase(path: string, versions: FileVersions): DatabaseCopy {
  let folder: string | undefined;
  const remove = () => {
    // Windows keeps files that are open; then closing the database comes first and removes them.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    folder = mkdtempSync(join(tmpdir(), 'openbot-database-'));
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    if (versions.wal) copyFileSync(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    if (versions.journal) copyFileSync(`${path}-journal`, `${copy}-journal`, constants.COPYFILE_FICLONE);
    return { path: copy, remove };
  } catch (error) {
    remove();
    const why = `what a program left beside it when it ended badly can only be read from a copy, and copying failed: ${(error as Error).message}`;
    throw unreadable(
      path,
      why,
      'Make room in the folder for temporary files, or start OpenClaw once.',
      error,
    );
  }
}
