import { resolveFolderLinks } from '../disk/canonical-path.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import type { LockOptions } from '../disk/lock-file.ts';
import { withLock } from '../disk/with-lock.ts';

/** OpenClaw writes the same limit into its transcript locks. */
const MAX_HOLD_MS = 300_000;

/** Runs `body` while `<transcript>.lock` is held, the lock that OpenClaw takes too. May be nested. */
export function withTranscriptLock<T>(
  path: string,
  options: LockOptions,
  body: (lock: HeldLock) => T | Promise<T>,
): Promise<T> {
  return withLock(`${resolveFolderLinks(path)}.lock`, { maxHoldMs: MAX_HOLD_MS, ...options }, body);
}
