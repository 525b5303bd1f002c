import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToFolderOwner, syncFolder } from '@openbot/sessions/disk';

/**
 * Makes the file of a database, for its owner alone. SQLite gives its other files the rights of this one. A file that exists is
 * not opened: closing it would drop the locks of all connections that this process has to it.
 */
export async function makePrivateFile(path: string): Promise<void> {
  if (makeNew(path)) await syncFolder(dirname(path));
  else {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
  }
}

/** False where it exists. */
function makeNew(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    // Another process was faster, or it is a link to what is not there.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path, { throwIfNoEntry: false }))
      return false;
    throw error;
  }
  try {
    giveToFolderOwner(fd, path);
  } finally {
    closeSync(fd);
  }
  return true;
}
