import { resolveFolderLinks } from './canonical-path.ts';
import type { HeldLock } from './held-lock.ts';
import { acquireLock, type LockOptions } from './lock-file.ts';
import { runLocked } from './lock-flow.ts';

/**
 * Runs `body` while the lock is held. A nested call on the same lock in the same async flow runs inside the lock that is
 * already held, instead of waiting for itself; several nested calls at once run one after another.
 */
export function withLock<T>(
  lockPath: string,
  options: LockOptions,
  body: (lock: HeldLock) => T | Promise<T>,
): Promise<T> {
  const path = resolveFolderLinks(lockPath);
  return runLocked(path, () => acquireLock(path, options), body);
}
