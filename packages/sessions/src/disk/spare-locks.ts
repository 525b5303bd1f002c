import { closeSync, fchmodSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { undoAtEnding } from './ending.ts';
import { giveToFolderOwner } from './folders.ts';
import { makeLeftoverPath } from './leftover-name.ts';

/** A file of this process under a name that is no lock's. Linking it to the name of a lock takes that lock. */
export interface LockBody {
  readonly fd: number;
  readonly temp: string;
  readonly inode: Inode;
}

/** It stays that of the file for as long as a descriptor is open. */
export interface Inode {
  readonly dev: bigint;
  readonly ino: bigint;
}

export function inodeOf(fd: number): Inode {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return { dev, ino };
}

/** As many locks as a busy process holds at a time in one folder. */
const MOST_SPARES = 64;

let isReusing = false;
const spares = new Map<string, LockBody[]>();

/**
 * From here on this process keeps the files of locks that it let go, and links them again. For one that takes hundreds of
 * locks a second: ext4 leaves the inode of a removed file alone for some seconds, and looks at all of those before it finds a
 * free one, which makes a new file thirty times as expensive as a link.
 */
export function reuseLockFiles(): void {
  if (isReusing) return;
  isReusing = true;
  process.once('exit', removeSpareLocks);
  undoAtEnding('files', removeSpareLocks);
}

/** Removes the files that are kept. The process goes on to reuse those of its next locks. */
export function removeSpareLocks(): void {
  for (const body of [...spares.values()].flat()) discard(body);
  spares.clear();
}

/** A file with this content, for a lock in the folder of `path`. */
export function openLockBody(path: string, record: string): LockBody {
  const kept = spares.get(dirname(path))?.pop();
  if (kept !== undefined && fill(kept, record)) return kept;
  const temp = makeLeftoverPath(path, 'tmp');
  const fd = openSync(temp, 'wx+', 0o600);
  try {
    writeSync(fd, record);
    giveToFolderOwner(fd, path);
    return { fd, temp, inode: inodeOf(fd) };
  } catch (error) {
    discard({ fd, temp });
    throw error;
  }
}

/** False where the file is no longer ours alone: its name was removed, or a lock that was lost still leads to it. */
function fill(body: LockBody, record: string): boolean {
  try {
    const { nlink, mode, size } = fstatSync(body.fd);
    if (nlink === 1) {
      const length = writeSync(body.fd, record, 0);
      if (size > length) ftruncateSync(body.fd, length);
      if ((mode & 0o777) !== 0o600) fchmodSync(body.fd, 0o600);
      return true;
    }
  } catch {
    // A new file says what is wrong.
  }
  discard(body);
  return false;
}

/** Whether the name of the file stays while it is a lock. */
export function keepsLockBodies(): boolean {
  return isReusing;
}

/** The lock of this file was let go. */
export function putLockBody(path: string, body: LockBody): void {
  const folder = dirname(path);
  const kept = spares.get(folder) ?? [];
  if (!isReusing || kept.length >= MOST_SPARES) {
    discard(body);
    return;
  }
  spares.set(folder, kept);
  kept.push(body);
}

export function discard({ fd, temp }: Omit<LockBody, 'inode'>): void {
  try {
    unlinkSync(temp);
  } catch {
    // Gone already, or swept when this process has ended.
  } finally {
    closeSync(fd);
  }
}
