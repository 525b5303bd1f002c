import { randomUUID } from 'node:crypto';
import { OpenBotError } from '../errors.ts';

/** What a call takes from outside the program. */
export interface ClockParams {
  /** Milliseconds. Date.now. */
  now?: () => number;
  /** Makes session ids. randomUUID. */
  newId?: () => string;
}

export interface Clock {
  readonly now: number;
  readonly newId: () => string;
}

/** The time of a call, looked up once: everything it writes bears the same. */
export function readClock(params: ClockParams): Clock {
  const now = (params.now ?? Date.now)();
  if (!Number.isFinite(now)) {
    throw new OpenBotError('INVALID_ARGUMENT', `${now} is not a time in milliseconds`, {
      hint: 'Pass a clock that returns milliseconds since 1970, as Date.now does.',
    });
  }
  return { now, newId: params.newId ?? randomUUID };
}
