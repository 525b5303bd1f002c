import { expect, test } from 'vitest';
import { readSendFailure, sendFailure } from '../../src/channels/send-failure.ts';
import { decideAfterFailure, type RetryLimits } from '../../src/delivery/next-try.ts';

const limits: RetryLimits = { firstMs: 1000, mostMs: 60_000, maxTries: 50, maxAgeMs: 3_600_000 };
const temporary = readSendFailure(sendFailure('refused', { isPermanent: false, mayHaveArrived: false }));

function decide(tries: number, { failure = temporary, now = 0, chance = 0.5 } = {}) {
  return decideAfterFailure({ tries, createdAt: 0 }, failure, { limits, now, chance });
}

test('the wait doubles up to a limit', () => {
  const waits = [1, 2, 3, 4, 6, 7, 40].map((tries) => decide(tries));
  expect(waits.map((after) => after.action === 'retry' && after.nextTryAt)).toEqual([
    1000, 2000, 4000, 8000, 32_000, 60_000, 60_000,
  ]);
});

test('chance spreads the wait by a quarter to either side', () => {
  expect(decide(1, { chance: 0 })).toEqual({ action: 'retry', nextTryAt: 750 });
  expect(decide(1, { chance: 1 })).toEqual({ action: 'retry', nextTryAt: 1250 });
});

test('what the network asks for is obeyed when it is longer', () => {
  expect(decide(1, { failure: { ...temporary, retryAfterMs: 90_000 } })).toMatchObject({ nextTryAt: 90_000 });
  expect(decide(3, { failure: { ...temporary, retryAfterMs: 1 } })).toMatchObject({ nextTryAt: 4000 });
});

test('it ends: at once for good, after many tries, and when it would come too late', () => {
  const refused = { ...temporary, isPermanent: true };
  expect(decide(1, { failure: refused })).toEqual({ action: 'dead', error: 'refused' });
  expect(decide(50)).toEqual({ action: 'dead', error: 'refused (given up after 50 tries)' });
  expect(decide(2, { now: 3_599_000 })).toEqual({
    action: 'dead',
    error: 'refused (given up: it would be more than 1 hours late)',
  });
});

test('an error without the fields is temporary and may have arrived', () => {
  const assumed = { isPermanent: false, mayHaveArrived: true, retryAfterMs: 0 };
  expect(readSendFailure(new Error('socket hang up'))).toEqual({ text: 'socket hang up', ...assumed });
  expect(readSendFailure('text')).toEqual({ text: 'text', ...assumed });
  expect(readSendFailure(null)).toEqual({ text: 'null', ...assumed });
  expect(readSendFailure(Object.assign(new Error('x'), { retryAfterMs: 'soon' }))).toMatchObject(assumed);
});
