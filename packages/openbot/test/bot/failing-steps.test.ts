import { OpenBotError } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { FailingSteps } from '../../src/bot/failing-steps.ts';

const TURN = 'A turn of agent:main:main';

test('a step is listed when it has failed five times in a row, and until it works', () => {
  let now = 1000;
  const steps = new FailingSteps(() => now++);
  const fail = (times: number) => {
    for (let n = 1; n <= times; n++) steps.failed('turn', TURN, new Error(`fault ${n}`));
  };
  fail(4);
  expect(steps.list()).toEqual([]);
  steps.worked(TURN);
  fail(4);
  expect(steps.list()).toEqual([]);
  fail(1);
  expect(steps.list()).toEqual([
    { kind: 'turn', step: TURN, failures: 5, since: expect.any(Number), error: 'fault 1' },
  ]);
  steps.worked('A turn of agent:main:other');
  expect(steps.list()).toHaveLength(1);
  steps.worked(TURN);
  expect(steps.list()).toEqual([]);
});

test.each([
  Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
  Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 }),
  new OpenBotError('TRANSCRIPT_WRITE_FAILED', 'Cannot write', {
    cause: Object.assign(new Error('quota'), { code: 'EDQUOT' }),
  }),
])('a full disk is listed at once: %s', (error) => {
  const steps = new FailingSteps(() => 7);
  steps.failed('turn', TURN, error);
  expect(steps.list()).toMatchObject([{ step: TURN, failures: 1, isDiskFull: true }]);
  steps.worked(TURN);
  expect(steps.list()).toEqual([]);
});
