import type { readSendFailure } from '../channels/send-failure.ts';
import { delayAfter } from '../clock.ts';
import type { OutboxMessage } from '../outbox/contract.ts';

export interface RetryLimits {
  /** The wait after the first failure; it doubles with each one. */
  readonly firstMs: number;
  readonly mostMs: number;
  readonly maxTries: number;
  /** From the time that the reply was put into the outbox. */
  readonly maxAgeMs: number;
}

const HOUR_MS = 3_600_000;

export const RETRY_LIMITS: RetryLimits = {
  firstMs: 1000,
  mostMs: HOUR_MS / 6,
  maxTries: 200,
  maxAgeMs: 24 * HOUR_MS,
};

export type AfterFailure =
  | { readonly action: 'retry'; readonly nextTryAt: number }
  | { readonly action: 'dead'; readonly error: string };

/** `chance` is from 0 to 1: messages that failed together are not all tried again together. */
export function decideAfterFailure(
  { tries, createdAt }: Pick<OutboxMessage, 'tries' | 'createdAt'>,
  failure: ReturnType<typeof readSendFailure>,
  { limits, now, chance }: { limits: RetryLimits; now: number; chance: number },
): AfterFailure {
  if (failure.isPermanent) return { action: 'dead', error: failure.text };
  if (tries >= limits.maxTries) {
    return { action: 'dead', error: `${failure.text} (given up after ${tries} tries)` };
  }
  const backoffMs = delayAfter(tries, limits) * (0.75 + 0.5 * chance);
  const nextTryAt = Math.round(now + Math.max(backoffMs, failure.retryAfterMs));
  if (nextTryAt - createdAt > limits.maxAgeMs) {
    const hours = Math.round(limits.maxAgeMs / 3_600_000);
    return { action: 'dead', error: `${failure.text} (given up: it would be more than ${hours} hours late)` };
  }
  return { action: 'retry', nextTryAt };
}
