import { open } from 'node:fs/promises';

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
