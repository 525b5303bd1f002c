import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { ownIdentity, type ProcessClaim } from './process-identity.ts';

/**
 * Who holds a lock, as its file says. Every field may be missing: a lock made by another program can hold anything.
 * `pid`, `createdAt`, `maxHoldMs` and `starttime` are those of OpenClaw's transcript lock.
 */
export type LockHolder = ProcessClaim & {
  createdAt?: string;
  maxHoldMs?: number;
  /** Unique per acquisition. Its presence also says that the holder keeps the file's mtime fresh. */
  token?: string;
};

/** One lock file at one moment. */
export type LockSnapshot = {
  holder: LockHolder;
  text: string;
  dev: bigint;
  ino: bigint;
  mtimeNs: bigint;
  isFile: boolean;
};

const MAX_RECORD_BYTES = 4096;

export function formatLockRecord(token: string, createdAt: Date, maxHoldMs: number | undefined): string {
  const { pid, starttime, host, pidSpace } = ownIdentity();
  return `${JSON.stringify({ pid, createdAt: createdAt.toISOString(), maxHoldMs, starttime, host, pidSpace, token }, null, 2)}\n`;
}

export function parseLockRecord(text: string): LockHolder {
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
