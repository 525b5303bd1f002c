import { OpenBotError } from '../errors.ts';
import { resolveFolderLinks } from './canonical-path.ts';
import {
  DEFAULT_STALE_MS,
  judgeLock,
  type LockHolder,
  type LockSnapshot,
  readLockSnapshot,
} from './lock-file.ts';
import { describeCommand, isHolderAlive, type Liveness, ownIdentity } from './process-identity.ts';

/** The current state of a lock, without waiting for it. */
interface LockInspection {
  holder: LockHolder;
  /** False when the next caller takes it over: its holder is gone, or its time is over. */
  held: boolean;
  liveness: Liveness;
  /** As a phrase for a person. */
  who: string;
  /** Who holds it and since when, as a phrase for a person. */
  description: string;
}

/** Undefined when there is no lock. */
export function inspectLock(lockPath: string, staleMs = DEFAULT_STALE_MS): LockInspection | undefined {
  const lock = readLockSnapshot(resolveFolderLinks(lockPath));
  if (lock === undefined) return undefined;
  return {
    holder: lock.holder,
    held: judgeLock(lock, staleMs, Date.now()) === 'held',
    liveness: lock.isFile ? isHolderAlive(lock.holder) : 'unknown',
    who: describeHolder(lock),
    description: describeLock(lock),
  };
}

/** One phrase for people: who holds a lock and since when. */
function describeLock(lock: LockSnapshot): string {
  const since = new Date(Number(lock.mtimeNs / 1_000_000n)).toISOString();
  if (!lock.isFile) return `something that is not a file, since ${since}`;
  if (lock.holder.pid === undefined) return `an unknown program, last changed ${since}`;
  return `${describeHolder(lock)}, since ${lock.holder.createdAt ?? since}`;
}

/** `process 4242 (openclaw) on host`. */
export function describeHolder({ holder }: LockSnapshot): string {
  if (holder.pid === undefined) return 'an unknown program';
  const self = ownIdentity();
  const here = holder.host === undefined || holder.host === self.host;
  const liveness = isHolderAlive(holder);
  const command = here && liveness !== 'dead' ? describeCommand(holder.pid) : undefined;
  const who = here && holder.pid === self.pid ? 'this process' : `process ${holder.pid}`;
  const where = holder.host === undefined ? '' : ` on ${holder.host}`;
  const state = liveness === 'dead' ? ', no longer running' : '';
  return `${who}${command ? ` (${command})` : ''}${where}${state}`;
}

export function lockTimeout(path: string, timeoutMs: number, lock: LockSnapshot | undefined): OpenBotError {
  const holder = lock === undefined ? 'several processes in turn' : describeLock(lock);
  return new OpenBotError('LOCK_TIMEOUT', `Waited ${timeoutMs} ms for the lock ${path}, held by ${holder}`, {
    hint: 'Try again when that process is done. If it hangs, stop it: its lock is then taken over at once.',
  });
}
