import { resolveFolderLinks } from './canonical-path.ts';
import { judgeLock } from './lock-claim.ts';
import { describeLock } from './lock-description.ts';
import { DEFAULT_STALE_MS } from './lock-limits.ts';
import { type LockHolder, readLockSnapshot } from './lock-record.ts';
import { isHolderAlive, type Liveness } from './process-identity.ts';

/** A lock as it stands, told without waiting for it. */
export type LockInspection = {
  holder: LockHolder;
  /** False when whoever takes the lock next takes it over: its holder is gone, or its time is over. */
  held: boolean;
  liveness: Liveness;
  /** Who holds it and since when, as a phrase for a person. */
  description: string;
};

/** Undefined when there is no lock. */
export function inspectLock(lockPath: string, staleMs = DEFAULT_STALE_MS): LockInspection | undefined {
  const lock = readLockSnapshot(resolveFolderLinks(lockPath));
  if (lock === undefined) return undefined;
  return {
    holder: lock.holder,
    held: judgeLock(lock, staleMs, Date.now()) === 'held',
    liveness: lock.isFile ? isHolderAlive(lock.holder) : 'unknown',
    description: describeLock(lock),
  };
}
