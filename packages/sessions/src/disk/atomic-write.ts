import type { BigIntStats, Stats } from 'node:fs';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { resolveWithinFolder } from './canonical-path.ts';
import { giveToFolderOwner, makeFolder, syncFolder } from './folders.ts';
import { makeLeftoverPath } from './leftover-name.ts';
import { DEFAULT_STALE_MS } from './lock-file.ts';
import { sweepLeftoversIfCheap } from './sweep-leftovers.ts';

/** The steps that a full or failing disk can break. Tests put faults in their place. */
export interface AtomicWriteIo {
  open(path: string, mode: number): Promise<FileHandle>;
  write(handle: FileHandle, data: Uint8Array): Promise<void>;
  syncFile(handle: FileHandle): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncFolder(folder: string): Promise<void>;
}

interface AtomicWriteOptions {
  /** Of a new file; an existing one keeps its own, as far as it is its owner's. 0600. */
  mode?: number;
  /** Called when everything is on disk but not yet visible. Throwing leaves the old content in place. */
  beforeRename?: () => void;
  /** Whether to look for leftovers of killed writers first. True. */
  sweep?: boolean;
  io?: Partial<AtomicWriteIo>;
}

const realIo: AtomicWriteIo = {
  open: (path, mode) => open(path, 'wx', mode),
  write: writeAll,
  syncFile: (handle) => handle.sync(),
  rename,
  syncFolder,
};

/** What a file is to hold; a function writes it through the handle, for content too large to be held in memory. */
type NewContent = string | Uint8Array | ((handle: FileHandle) => Promise<void>);

/**
 * Replaces the whole content or nothing: readers see the old file or the new one, also after a power cut. The
 * owner of an existing file is kept; its mode too, but for rights of others. Missing folders are made (0700). A link that leads out of the folder is refused.
 * Resolves to the stat of the new file as it was just before it got its name.
 */
export async function writeFileAtomic(
  path: string,
  data: NewContent,
  options: AtomicWriteOptions = {},
): Promise<BigIntStats> {
  const io = { ...realIo, ...options.io };
  const target = resolveWithinFolder(path);
  const folder = dirname(target);
  await makeFolder(folder, io.syncFolder);
  if (options.sweep ?? true) sweepLeftoversIfCheap(folder, DEFAULT_STALE_MS);
  const old = await stat(target).catch(() => undefined);
  const temp = makeLeftoverPath(target, 'tmp');
  const handle = await io.open(temp, options.mode ?? 0o600);
  let written: BigIntStats;
  try {
    try {
      if (typeof data === 'function') await data(handle);
      else await io.write(handle, typeof data === 'string' ? Buffer.from(data) : data);
      if (old === undefined) giveToFolderOwner(handle.fd, temp);
      else await keepOwnerAndMode(handle, old);
      await io.syncFile(handle);
      written = await handle.stat({ bigint: true });
    } finally {
      await handle.close();
    }
    options.beforeRename?.();
    await io.rename(temp, target);
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  }
  await io.syncFolder(folder);
  return written;
}

async function writeAll(handle: FileHandle, data: Uint8Array): Promise<void> {
  for (let done = 0; done < data.length; ) done += (await handle.write(data, done)).bytesWritten;
}

async function keepOwnerAndMode(handle: FileHandle, old: Stats): Promise<void> {
  const fresh = await handle.stat();
  if (old.uid !== fresh.uid || old.gid !== fresh.gid) {
    // Only root may change the owner; for other users it stays.
    await handle.chown(old.uid, old.gid).catch(() => {});
  }
  // What we keep is private; a stricter mode stays.
  const mode = old.mode & 0o600;
  if (mode !== (fresh.mode & 0o7777)) await handle.chmod(mode);
}
