import { delayAfter } from '../../clock.ts';
import type { Cooldown } from '../../cooldowns/contract.ts';
import type { ModelFailure } from '../../runners/contract.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PASSING = { firstMs: MINUTE, mostMs: HOUR };
/** A person has to act first: set a key, add credit. */
const LASTING = { firstMs: HOUR, mostMs: DAY };

const DELAYS: Readonly<Record<ModelFailure, typeof PASSING>> = {
  overloaded: PASSING,
  'rate-limited': PASSING,
  unreachable: PASSING,
  unauthorised: LASTING,
  exhausted: LASTING,
};

/** A failure that was that long ago is not the same trouble any more. */
const FORGOTTEN_MS = DAY;

/** How long a model is passed over after a failure: longer each time, and never less than its provider asks for. */
export function nextCooldown(
  before: Cooldown | undefined,
  failed: { readonly failure: ModelFailure; readonly retryAfterMs?: number },
  now: number,
): Cooldown {
  const { failure, retryAfterMs = 0 } = failed;
  const isRelated = before !== undefined && before.since <= now && now - before.until < FORGOTTEN_MS;
  // Runs that began together fail together: that is one failure.
  const isSame = isRelated && isCooling(before, now);
  const failures = isRelated ? before.failures + (isSame ? 0 : 1) : 1;
  const own = now + Math.max(delayAfter(failures, DELAYS[failure]), Math.min(retryAfterMs, DAY));
  return { failure, failures, since: now, until: isSame ? Math.max(before.until, own) : own };
}

/** One that lies in the future was written with a clock that was wrong. */
export function isCooling({ since, until }: Cooldown, now: number): boolean {
  return since <= now && now < until;
}
