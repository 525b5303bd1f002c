import { OpenBotError } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import { decideUse, describeUse } from '../../src/in-use/decide-use.ts';
import type { LockUse, SessionUse, UnfinishedUse, WriterUse } from '../../src/in-use/session-use.ts';
import type { UseFlags } from '../../src/storage/contract/use.ts';

const lock: LockUse = {
  kind: 'lock',
  holder: 'process 42 (openclaw)',
  lockPath: '/s/abc.jsonl.lock',
  pid: 42,
  who: 'process 42 (node openclaw.mjs), since 2026-01-01T00:00:00.000Z',
  isKnownAlive: true,
  isAncestor: false,
  isBrief: false,
};
const writer: WriterUse = { kind: 'writer', pid: 43, who: 'process 43 (vim)', isAncestor: false };
const unfinished: UnfinishedUse = { kind: 'unfinished', ageMs: 4200, ownRun: 'no' };

function decide(use: SessionUse | undefined, flags: Partial<UseFlags> = {}) {
  return decideUse(use, 'abc', { canSchedule: true, ...flags });
}

function refusal(use: SessionUse, flags: Partial<UseFlags> = {}): OpenBotError {
  const decision = decide(use, flags);
  if (decision.act !== 'refuse') throw new Error(`decided to ${decision.act}`);
  expect(decision.error).toBeInstanceOf(OpenBotError);
  expect(decision.error.code).toBe('SESSION_IN_USE');
  return decision.error;
}

test('not in use: go, whatever the flags', () => {
  for (const flags of [{}, { force: true }, { waitMs: 5 }, { whenIdle: true }]) {
    expect(decide(undefined, flags)).toEqual({ act: 'go' });
  }
});

test('after --wait a longer time is advised', () => {
  const hint = describeUse(lock, 'abc', { canSchedule: true, waitMs: 1500 }).hint;
  expect(hint).toMatch(/^Give --wait a longer time than 1\.5 s, or clean in the background .*--when-idle\./);
});

describe('nothing asked for', () => {
  test('a lock: refused, the holder named, with the ways out', () => {
    const error = refusal(lock);
    expect(error.message).toBe(
      "Session 'abc' is in use: its lock is held by process 42 (node openclaw.mjs), since 2026-01-01T00:00:00.000Z",
    );
    expect(error.hint).toMatch(/--wait.*--when-idle.*stop it/);
    expect(error.hint).not.toContain('--force');
  });

  test('a lock whose holder cannot be checked: its file is named', () => {
    expect(refusal({ ...lock, isKnownAlive: false }).hint).toContain('remove /s/abc.jsonl.lock');
  });

  test('an open descriptor: refused, the process named', () => {
    const error = refusal(writer);
    expect(error.message).toBe("Session 'abc' is in use: process 43 (vim) has it open for writing");
    expect(error.hint).not.toContain('--force');
  });

  test('an unfinished exchange: refused, and --force is named', () => {
    const error = refusal(unfinished);
    expect(error.message).toBe(
      "Session 'abc' is in use: its last exchange is unfinished and it changed 4 seconds ago",
    );
    expect(error.hint).toMatch(/--wait.*--when-idle.*--force/);
  });

  test('an operation that cannot be scheduled does not offer it', () => {
    for (const use of [lock, writer, unfinished]) {
      expect(refusal(use, { canSchedule: false }).hint).not.toContain('--when-idle');
    }
  });
});

describe('--force', () => {
  test('overrides the guess from an unfinished exchange', () => {
    expect(decide(unfinished, { force: true })).toEqual({ act: 'go' });
  });

  test('never overrides a lock or an open descriptor', () => {
    expect(decide(lock, { force: true }).act).toBe('refuse');
    expect(decide({ ...lock, isKnownAlive: false }, { force: true }).act).toBe('refuse');
    expect(decide(writer, { force: true }).act).toBe('refuse');
  });
});

describe('--wait and --when-idle', () => {
  test.each([lock, writer, unfinished])('wait for, or follow, $kind', (use) => {
    expect(decide(use, { waitMs: 7000 })).toMatchObject({ act: 'wait', ms: 7000 });
    const scheduled = decide(use, { whenIdle: true });
    expect(scheduled.act).toBe('schedule');
    expect(scheduled).toHaveProperty(
      'note',
      expect.stringContaining('The edit is made when that has ended.'),
    );
  });

  test('a lock that is held for one write is waited for unasked, for a few seconds', () => {
    expect(decide({ ...lock, isBrief: true })).toEqual({ act: 'wait', ms: 5000, quietMs: 0 });
    expect(decide({ ...lock, isBrief: true }, { waitMs: 60_000 })).toMatchObject({ ms: 60_000 });
  });
});

describe("the session's own run", () => {
  const own: SessionUse[] = [
    { ...lock, isAncestor: true },
    { ...writer, isAncestor: true },
    { ...unfinished, ownRun: 'aborts' },
  ];

  test.each(own)(
    'that a rewrite would abort ($kind): scheduled without a flag, and the run does not wait for itself',
    (use) => {
      for (const flags of [{}, { waitMs: 1000 }, { whenIdle: true }]) {
        expect(decide(use, flags)).toMatchObject({
          act: 'schedule',
          note: expect.stringContaining(use.kind === 'writer' ? 'process 43' : "session's own run"),
        });
      }
    },
  );

  test.each(own)('is refused where nothing can be scheduled ($kind)', (use) => {
    expect(refusal(use, { canSchedule: false, waitMs: 1000 }).hint).toContain('when the run has ended');
  });

  test('--force goes ahead on an unfinished exchange, not under the lock of the agent', () => {
    expect(decide(own[2], { force: true })).toEqual({ act: 'go' });
    expect(decide(own[0], { force: true }).act).toBe('schedule');
  });

  test('that survives a rewrite: go, and say from when it counts', () => {
    const use: SessionUse = { ...unfinished, ownRun: 'survives' };
    expect(decide(use)).toMatchObject({ act: 'go', note: expect.stringContaining('next resume') });
    expect(decide(use, { whenIdle: true })).toMatchObject({
      act: 'schedule',
      note: expect.not.stringContaining('abort'),
    });
    expect(decide(use, { canSchedule: false }).act).toBe('go');
  });
});

describe('thinking that is bound to what was said before it', () => {
  const own = { ...unfinished, ownRun: 'survives', bindsThinking: true } as const;

  test('the own run: the edit follows it, unless it is forced', () => {
    expect(decide(own)).toMatchObject({ act: 'schedule', note: expect.stringContaining('binds thinking') });
    expect(decide(own, { force: true })).toMatchObject({
      act: 'go',
      note: expect.stringContaining('next resume'),
    });
  });

  test('the own run: what nobody else can do later is refused, unless it is forced', () => {
    const error = refusal(own, { canSchedule: false });
    expect(error.message).toMatch(/called from its own run, and its model binds thinking/);
    expect(error.hint).toMatch(/when the run has ended, or use --force/);
    expect(decide(own, { canSchedule: false, force: true }).act).toBe('go');
  });

  test('the run of another process: refused, and the process is named', () => {
    const error = refusal({ ...unfinished, bindsThinking: true, runner: { pid: 44 } });
    expect(error.message).toContain('process 44 has not finished its last exchange');
    expect(error.hint).toMatch(/--wait.*--when-idle.*--force/);
  });
});
