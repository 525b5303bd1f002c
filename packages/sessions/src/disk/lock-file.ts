import { randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { giveToFolderOwner } from './folders.ts';
import { makeLeftoverPath } from './leftover-name.ts';
import { linkNew } from './link-new.ts';
import { isHolderAlive, ownIdentity, type ProcessClaim } from './process-identity.ts';
import { discard, type Inode, inodeOf, keepsLockBodies, openLockBody, putLockBody } from './spare-locks.ts';

/** From this age a lock whose holder cannot be checked counts as left behind. */
export const DEFAULT_STALE_MS = 30_000;

export interface LockFile {
  path: string;
  fd: number;
  inode: Inode;
  /** The name that the file keeps beside that of the lock. None where there are no hard links. */
  temp?: string;
}

/**
 * Undefined when another process has it. The name appears with its content complete: the file is written under a temporary name and
 * linked. The descriptor stays open, which pins the inode: as long as the name leads to it, the lock is this one.
 */
export function createLockFile(path: string, record: string, link = linkSync): LockFile | undefined {
  const body = openLockBody(path, record);
  const { fd, temp, inode } = body;
  let isLinked: boolean;
  try {
    isLinked = linkNew(temp, path, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      putLockBody(path, body);
      return undefined;
    }
    // Its own name may be what is not there: the folder was moved, and another one is in its place.
    discard(body);
    throw error;
  }
  if (!isLinked) {
    discard(body);
    return createInPlace(path, record);
  }
  if (keepsLockBodies()) return { path, fd, inode, temp };
  removeIfThere(temp);
  return { path, fd, inode };
}

export function ownsLockFile(lock: LockFile): boolean {
  return statOwn(lock) !== undefined;
}

function statOwn({ path, inode }: LockFile): BigIntStats | undefined {
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return named?.ino === inode.ino && named.dev === inode.dev ? named : undefined;
}

/** Removes the name only if it still leads to this lock. Returns the mode that the file had, undefined where it does not. */
export function removeLockFile(lock: LockFile): number | undefined {
  const { path, fd, inode, temp } = lock;
  let isFree = false;
  try {
    const own = statOwn(lock);
    if (own === undefined) return undefined;
    unlinkSync(path);
    isFree = true;
    return Number(own.mode);
  } finally {
    if (temp === undefined) closeSync(fd);
    else if (isFree) putLockBody(path, { fd, temp, inode });
    // A claimer may yet put it back: a file that is a lock cannot be another one.
    else discard({ fd, temp });
  }
}

// A foreign holder that never refreshes its lock still promised to be done by then.
const LONGEST_PROMISE_MS = 3_600_000;

/**
 * `dead`: the holder is gone for certain. `aged`: its holder is unknown, and it was not touched for longer than
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
  // A program that knows no guard may have replaced the lock since: then put back the lock of that program.
  const right = taken === undefined || isSameLock(taken, judged);
  if (!right) putBack(claimed, path, taken.text);
  removeIfThere(claimed);
  return right;
}

function putBack(claimed: string, path: string, text: string): void {
  try {
    if (!linkNew(claimed, path)) writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process took the lock in between: this one cannot be put back.
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
  const lock = { path, fd, inode: inodeOf(fd) };
  try {
    writeSync(fd, record);
    giveToFolderOwner(fd, path);
  } catch (error) {
    removeLockFile(lock);
    throw error;
  }
  return lock;
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Who holds a lock, as its file says. Every field may be missing: a lock made by another program can hold anything.
 * `pid`, `createdAt`, `maxHoldMs` and `starttime` are those of OpenClaw's transcript lock.
 */
export interface LockHolder extends ProcessClaim {
  createdAt?: string;
  maxHoldMs?: number;
  /** Unique per acquisition. Its presence also says that the holder keeps the file's mtime fresh. */
  token?: string;
}

/** One lock file at one moment. */
export interface LockSnapshot {
  holder: LockHolder;
  text: string;
  dev: bigint;
  ino: bigint;
  mtimeNs: bigint;
  isFile: boolean;
}

const MAX_RECORD_BYTES = 4096;

export function formatLockRecord(token: string, createdAt: Date, maxHoldMs: number | undefined): string {
  const { pid, starttime, host, pidSpace } = ownIdentity();
  return `${JSON.stringify({ pid, createdAt: createdAt.toISOString(), maxHoldMs, starttime, host, pidSpace, token }, null, 2)}\n`;
}

function parseLockRecord(text: string): LockHolder {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  const record = value as Record<string, unknown>;
  const number = (name: string) => (Number.isFinite(record[name]) ? (record[name] as number) : undefined);
  const string = (name: string) => (typeof record[name] === 'string' ? (record[name] as string) : undefined);
  return {
    pid: number('pid'),
    starttime: number('starttime'),
    host: string('host'),
    pidSpace: string('pidSpace'),
    createdAt: string('createdAt'),
    maxHoldMs: number('maxHoldMs'),
    token: string('token'),
  };
}

/** Undefined when there is no lock. What cannot be read, or is no file, comes back with an empty holder. */
export function readLockSnapshot(path: string): LockSnapshot | undefined {
  const seen = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (seen === undefined) return undefined;
  const bare = { dev: seen.dev, ino: seen.ino, mtimeNs: seen.mtimeNs, isFile: seen.isFile() };
  if (!bare.isFile) return { ...bare, holder: {}, text: '' };
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { ...bare, holder: {}, text: '' };
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    const buffer = Buffer.alloc(MAX_RECORD_BYTES);
    const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, MAX_RECORD_BYTES, 0));
    const { dev, ino, mtimeNs } = stat;
    return { dev, ino, mtimeNs, isFile: stat.isFile(), holder: parseLockRecord(text), text };
  } catch {
    return { ...bare, holder: {}, text: '' };
  } finally {
    closeSync(fd);
  }
}

/** Inode numbers are reused at once, so the content and the time count as well. */
export function isSameLock(a: LockSnapshot, b: LockSnapshot): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.mtimeNs === b.mtimeNs && a.text === b.text;
}
