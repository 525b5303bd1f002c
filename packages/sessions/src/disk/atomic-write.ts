import { type BigIntStats, existsSync, fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
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
type NewContent = string | Uint8Array | readonly Uint8Array[] | ((handle: FileHandle) => Promise<void>);

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
  // What only asks is done at once: handing it to another thread costs more than the answer.
  if (!existsSync(folder)) await makeFolder(folder, io.syncFolder);
  if (options.sweep ?? true) sweepLeftoversIfCheap(folder, DEFAULT_STALE_MS);
  const old = statIfThere(target);
  const temp = makeLeftoverPath(target, 'tmp');
  const handle = await io.open(temp, options.mode ?? 0o600);
  let written: BigIntStats;
  try {
    try {
      if (typeof data === 'function') await data(handle);
      else if (typeof data === 'string') await io.write(handle, Buffer.from(data));
      else if (data instanceof Uint8Array) await io.write(handle, data);
      else await writePieces(handle, data, io);
      if (old === undefined) giveToFolderOwner(handle.fd, temp);
      else await keepOwnerAndMode(handle, old);
      await io.syncFile(handle);
      written = fstatSync(handle.fd, { bigint: true });
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

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Kept for the next write: a buffer of this size at every write would keep the garbage collector busy. */
let spare: Buffer | undefined;
const SPARE_BYTES = 1024 * 1024;

async function writePieces(
  handle: FileHandle,
  pieces: readonly Uint8Array[],
  io: AtomicWriteIo,
): Promise<void> {
  const room = spare ?? Buffer.allocUnsafeSlow(SPARE_BYTES);
  spare = undefined;
  let filled = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const count = Math.min(piece.length - at, room.length - filled);
      room.set(piece.subarray(at, at + count), filled);
      at += count;
      filled += count;
      if (filled < room.length) continue;
      await io.write(handle, room);
      filled = 0;
    }
  }
  if (filled > 0) await io.write(handle, room.subarray(0, filled));
  // Not after a failure: the system may still be reading from it.
  spare = room;
}

async function writeAll(handle: FileHandle, data: Uint8Array): Promise<void> {
  for (let done = 0; done < data.length; ) done += (await handle.write(data, done)).bytesWritten;
}

async function keepOwnerAndMode(handle: FileHandle, old: Stats): Promise<void> {
  const fresh = fstatSync(handle.fd);
  if (old.uid !== fresh.uid || old.gid !== fresh.gid) {
    // Only root may change the owner; for other users it stays.
    await handle.chown(old.uid, old.gid).catch(() => {});
  }
  // What we keep is private; a stricter mode stays.
  const mode = old.mode & 0o600;
  if (mode !== (fresh.mode & 0o7777)) await handle.chmod(mode);
}
