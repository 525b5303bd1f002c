import { OpenBotError } from '../errors.ts';

export type LockOptions = {
  /** How long to wait before LOCK_TIMEOUT. 10 s. */
  timeoutMs?: number;
  /** How often to look while another process holds it; a caller that waited for seconds looks more often. 25 ms. */
  pollIntervalMs?: number;
  /** From this age a lock whose holder cannot be checked counts as left behind. 30 s. */
  staleMs?: number;
  /** After this time the lock is let go and `signal` aborts, finished or not. Unlimited. */
  maxHoldMs?: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
};

export type LockLimits = {
  timeoutMs: number;
  pollIntervalMs: number;
  staleMs: number;
  maxHoldMs: number | undefined;
};

export const DEFAULT_STALE_MS = 30_000;

/** The times of a lock, the missing ones filled in. */
export function readLockLimits(options: LockOptions): LockLimits {
  const limits = {
    timeoutMs: options.timeoutMs ?? 10_000,
    pollIntervalMs: options.pollIntervalMs ?? 25,
    staleMs: options.staleMs ?? DEFAULT_STALE_MS,
    maxHoldMs: options.maxHoldMs,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(value >= 0)) {
      throw new OpenBotError('INVALID_ARGUMENT', `${name} must be a number of milliseconds, got ${value}`);
    }
  }
  return limits;
}
