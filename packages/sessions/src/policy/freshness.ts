import { resolveDailyResetAtMs } from './daily-reset.ts';
import type { SessionResetPolicy } from './reset-policy.ts';

export interface SessionFreshness {
  fresh: boolean;
  /** The last daily reset before now; a session not used since is over. */
  dailyResetAt?: number;
  /** The last instant at which the session is not idle too long. */
  idleExpiresAt?: number;
  /** Which limit ended the session; with both passed, the one that came first. */
  staleReason?: 'daily' | 'idle';
}

/**
 * Whether a session goes on. `updatedAt` ahead of `now` (a clock was set back) counts as now, and without a usable
 * `updatedAt` the session is fresh: nothing shows that it ended, and a reset takes away a person's context.
 */
export function evaluateSessionFreshness(params: {
  updatedAt: number;
  now: number;
  policy: SessionResetPolicy;
  timeZone?: string;
}): SessionFreshness {
  const { now, policy } = params;
  if (policy.mode === 'manual') return { fresh: true };
  const limits: Omit<SessionFreshness, 'fresh'> = {};
  if (policy.mode === 'daily') {
    limits.dailyResetAt = resolveDailyResetAtMs(now, policy.atHour, params.timeZone);
  }
  if (!Number.isFinite(params.updatedAt)) return { fresh: true, ...limits };
  const updatedAt = Math.min(params.updatedAt, now);
  if (policy.idleMinutes !== undefined) limits.idleExpiresAt = updatedAt + policy.idleMinutes * 60_000;

  const { dailyResetAt = Number.NEGATIVE_INFINITY, idleExpiresAt = Number.POSITIVE_INFINITY } = limits;
  const staleDaily = updatedAt < dailyResetAt;
  const staleIdle = now > idleExpiresAt;
  if (!staleDaily && !staleIdle) return { fresh: true, ...limits };
  const idleFirst = staleIdle && (!staleDaily || idleExpiresAt < dailyResetAt);
  return { fresh: false, ...limits, staleReason: idleFirst ? 'idle' : 'daily' };
}
