import { fchownSync, fstatSync, lchownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * What root makes in another user's folder (think of `docker exec`) belongs to that user, who could not use it otherwise. By
 * descriptor: the folder is not root's, and a name in it may lead elsewhere by now.
 */
export function giveToFolderOwner(fd: number, path: string): void {
  if (process.geteuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(dirname(path));
    if (uid !== fstatSync(fd).uid) fchownSync(fd, uid, gid);
  } catch {
    // Some file systems have no owners; the file is as good as it can be.
  }
}

/** The same for a folder that was just made: its name is all that there is. A link in its place is not followed. */
export function giveFolderToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(dirname(folder));
    if (uid !== 0) lchownSync(folder, uid, gid);
  } catch {
    // As above.
  }
}
