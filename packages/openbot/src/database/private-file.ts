import { chmodSync, closeSync, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToFolderOwner, syncFolder } from '@openbot/sessions/disk';

/** Makes the file of a database, for its owner alone. SQLite gives its other files the rights of this one. */
export async function makePrivateFile(path: string): Promise<void> {
  const fd = openSync(path, 'a', 0o600);
  try {
    const { size, mode } = fstatSync(fd);
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
    if (size > 0) return;
    giveToFolderOwner(fd, path);
  } finally {
    closeSync(fd);
  }
  await syncFolder(dirname(path));
}
