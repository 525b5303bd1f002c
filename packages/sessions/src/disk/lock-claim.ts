import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { giveToFolderOwner } from './give-to-owner.ts';
import { makeLeftoverPath } from './leftover-name.ts';
import { linkNew } from './link-new.ts';
import { formatLockRecord, isSameLock, type LockSnapshot, readLockSnapshot } from './lock-record.ts';
import { isHolderAlive } from './process-identity.ts';

export type LockFile = { path: string; fd: number };

/**
 * Undefined when somebody else has it. The name appears with its content complete: the file is written elsewhere and
 * linked. The descriptor stays open, which pins the inode: as long as the name leads to it, the lock is this one.
 */
export function createLockFile(path: string, record: string, link = linkSync): LockFile | undefined {
  const temp = makeLeftoverPath(path, 'tmp');
  const fd = openSync(temp, 'wx+', 0o600);
  try {
    writeSync(fd, record);
    giveToFolderOwner(fd, path);
    if (linkNew(temp, path, link)) return { path, fd };
  } catch (error) {
    closeSync(fd);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    removeIfThere(temp);
  }
  closeSync(fd);
  return createInPlace(path, record);
}

export function ownsLockFile({ path, fd }: LockFile): boolean {
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return false;
  const own = fstatSync(fd, { bigint: true });
  return own.ino === named.ino && own.dev === named.dev;
}

/** Removes the name only if it still leads to this lock. */
export function removeLockFile(lock: LockFile): void {
  try {
    if (ownsLockFile(lock)) unlinkSync(lock.path);
  } finally {
    closeSync(lock.fd);
  }
}

// A foreign holder that never refreshes its lock still promised to be done by then.
const LONGEST_PROMISE_MS = 3_600_000;

/**
 * `dead`: the holder is gone for certain. `aged`: nobody can tell who holds it, and it was not touched for longer than
 * any holder may leave it (or its time lies as far in the future, after a clock went back). `held`: respect it.
 */
export function judgeLock(lock: LockSnapshot, staleMs: number, nowMs: number): 'held' | 'dead' | 'aged' {
  if (!lock.isFile) return 'held';
  const { holder } = lock;
  if (holder.pid !== undefined && (holder.starttime !== undefined || holder.host !== undefined)) {
    const liveness = isHolderAlive(holder);
    if (liveness !== 'unknown') return liveness === 'dead' ? 'dead' : 'held';
  }
  const promised = holder.token === undefined ? Math.min(holder.maxHoldMs ?? 0, LONGEST_PROMISE_MS) : 0;
  const age = Math.abs(nowMs - Number(lock.mtimeNs / 1_000_000n));
  return age > Math.max(staleMs, promised) ? 'aged' : 'held';
}

const DEEPEST_GUARD = 3;

/**
 * Takes away a lock that was judged stale; true when that very lock is gone. Claimers are kept apart by a guard
 * (`<lock>.claim`), without which a slow one could take away the fresh lock of a faster one. A dead claimer's guard is
 * itself claimed in the same way.
 */
export function claimStaleLock(path: string, judged: LockSnapshot, staleMs: number, depth = 1): boolean {
  const guardPath = `${path}.claim`;
  const guard = createLockFile(guardPath, formatLockRecord(randomUUID(), new Date(), undefined));
  if (guard === undefined) {
    const other = readLockSnapshot(guardPath);
    if (other !== undefined && depth < DEEPEST_GUARD && judgeLock(other, staleMs, Date.now()) !== 'held') {
      claimStaleLock(guardPath, other, staleMs, depth + 1);
    }
    return false;
  }
  try {
    const now = readLockSnapshot(path);
    if (now === undefined || !isSameLock(now, judged)) return false;
    return takeAway(path, judged);
  } finally {
    removeLockFile(guard);
  }
}

/** Moves the lock aside; if it turns out not to be the one that was judged, puts it back and returns false. */
export function takeAway(path: string, judged: LockSnapshot): boolean {
  const claimed = makeLeftoverPath(path, 'claimed');
  try {
    renameSync(path, claimed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const taken = readLockSnapshot(claimed);
  // A program that knows no guard may have replaced the lock since: then give back what is not ours to take.
  const right = taken === undefined || isSameLock(taken, judged);
  if (!right) putBack(claimed, path, taken.text);
  removeIfThere(claimed);
  return right;
}

function putBack(claimed: string, path: string, text: string): void {
  try {
    if (!linkNew(claimed, path)) writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch {
    // Somebody took the lock in between; there is no place left to put this one.
  }
}

function createInPlace(path: string, record: string): LockFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'wx+', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  try {
    writeSync(fd, record);
    giveToFolderOwner(fd, path);
  } catch (error) {
    removeLockFile({ path, fd });
    throw error;
  }
  return { path, fd };
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
