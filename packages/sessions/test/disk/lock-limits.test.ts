import { expect, test } from 'vitest';
import { readLockLimits } from '../../src/disk/lock.ts';

test('by default waits for 10 s, looks every 25 ms, and treats a lock as left behind after 30 s', () => {
  const limits = { timeoutMs: 10_000, pollIntervalMs: 25, staleMs: 30_000, maxHoldMs: undefined };
  expect(readLockLimits({})).toEqual(limits);
  expect(readLockLimits({ timeoutMs: undefined, staleMs: undefined })).toEqual(limits);
  expect(readLockLimits({ timeoutMs: 0, pollIntervalMs: 1, staleMs: 2, maxHoldMs: 3 })).toEqual({
    timeoutMs: 0,
    pollIntervalMs: 1,
    staleMs: 2,
    maxHoldMs: 3,
  });
});

test.each(['timeoutMs', 'pollIntervalMs', 'staleMs', 'maxHoldMs'])('%s must be a time', (name) => {
  for (const value of [-1, Number.NaN, 'soon' as unknown as number]) {
    expect(() => readLockLimits({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(name) }),
    );
  }
});
