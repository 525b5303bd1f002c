import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLeftoverPath, parseLeftoverName } from '../disk/leftover-name.ts';
import { isHolderAlive } from '../disk/process-identity.ts';
import { unreadable } from './database-faults.ts';
import type { FileVersions } from './file-versions.ts';

interface DatabaseCopy {
  readonly path: string;
  /** To be called when SQLite has all files open: where they can be used without their names, these go at once. */
  hide(): void;
  remove(): void;
}

const PREFIX = 'openbot-database';

/**
 * A copy of a database that no process has open, with what a writer that ended badly left beside it: SQLite can only take
 * that in by writing. The folder is readable by this user alone. A process that is killed while it copies leaves it to the
 * next one that makes a copy; later there is nothing to leave.
 */
export function copyDatabase(path: string, versions: FileVersions): DatabaseCopy {
  const folder = makeLeftoverPath(join(tmpdir(), PREFIX), 'tmp');
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  sweepCopies(tmpdir());
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw copyFailed(path, error);
  }
  try {
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    if (versions.wal) copyFileSync(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    if (versions.journal) copyFileSync(`${path}-journal`, `${copy}-journal`, constants.COPYFILE_FICLONE);
    // Windows keeps files that are open; there closing the database comes first.
    return { path: copy, hide: process.platform === 'win32' ? () => {} : remove, remove };
  } catch (error) {
    remove();
    throw copyFailed(path, error);
  }
}

function copyFailed(path: string, cause: unknown): Error {
  const why = `a program that crashed left changes beside it that can only be read from a copy, and copying failed: ${(cause as Error).message}`;
  return unreadable(path, why, 'Make room in the folder for temporary files, or start OpenClaw once.', cause);
}

/** Removes copies of processes that are certainly dead. Only our own: in a folder for all, others can swap what is in theirs. */
function sweepCopies(folder: string): void {
  const user = process.getuid?.();
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.startsWith(`${PREFIX}.`));
  } catch {
    return;
  }
  for (const name of names) {
    const maker = parseLeftoverName(name)?.maker;
    if (maker === undefined || isHolderAlive(maker) !== 'dead') continue;
    const path = join(folder, name);
    try {
      const stat = lstatSync(path);
      if (stat.isDirectory() && (user === undefined || stat.uid === user))
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed it first, or it stays until the next time.
    }
  }
}
