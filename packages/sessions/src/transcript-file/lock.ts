import type { HeldLock } from '../disk/held-lock.ts';
import { type LockOptions, withLock } from '../disk/lock.ts';
import { OpenBotError } from '../errors.ts';

/** OpenClaw writes the same limit into its transcript locks. */
const MAX_HOLD_MS = 300_000;

/** Runs `fn` while `<transcript>.lock` is held, the lock that OpenClaw takes too. May be nested. */
export function withTranscriptLock<T>(
  path: string,
  fn: (lock: HeldLock) => T | Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  return withLock(`${path}.lock`, { maxHoldMs: MAX_HOLD_MS, ...options }, fn);
}

/** Asked last, right before a change is made. `doing` ends the sentence: the lock was lost before … */
export function assertHeld(lock: HeldLock, path: string, doing: string): void {
  if (lock.isHeld()) return;
  throw new OpenBotError('LOCK_LOST', `The lock of ${path} was lost before ${doing}`, {
    hint: 'Nothing was written; try again.',
  });
}
