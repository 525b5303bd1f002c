import { fchownSync, fstatSync, lchownSync, statSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes a folder and those missing above it, 0700. `sync` is called for each that got a new name in it, inside first. */
export async function makeFolder(
  folder: string,
  sync: (folder: string) => Promise<void> = syncFolder,
): Promise<void> {
  const inner = resolve(folder);
  if (await isFolder(inner)) return;
  const missing: string[] = [];
  // Not `recursive`: Node then tries for ever where nothing can be made, as in /proc.
  for (let at = inner; ; at = dirname(at)) {
    try {
      if (await makeOne(at)) missing.push(at);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at)) throw error;
      missing.push(at);
    }
  }
  // From the outside in: each belongs to the owner of the one above.
  for (const at of missing.toReversed()) {
    await makeOne(at);
    giveFolderToOwner(at);
  }
  for (const at of missing) await sync(dirname(at));
}

/** False when it exists. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    // Not every system says EEXIST of every folder that exists.
    if (!(await isFolder(folder))) throw error;
    return false;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

// Some file systems and Windows cannot sync a folder; there is nothing to be gained by failing there.
const CANNOT_SYNC = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EPERM',
  'EACCES',
  'EBADF',
]);

/** Makes a rename, creation or removal inside the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * What root makes in another user's folder (think of `docker exec`) belongs to that user, who could not use it otherwise. By
 * descriptor: the folder is not root's, and a name in it may be a link by now.
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
