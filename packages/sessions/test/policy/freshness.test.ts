import { describe, expect, it } from 'vitest';
import { evaluateSessionFreshness } from '../../src/policy/freshness.ts';
import {
  resolveChannelResetConfig,
  resolveSessionResetPolicy,
  resolveSessionResetType,
  resolveThreadFlag,
} from '../../src/policy/reset-policy.ts';
import type { SessionConfig, SessionResetMode } from '../../src/policy/session-config.ts';

const minute = 60_000;
const hour = 60 * minute;
const now = Date.parse('2026-07-01T12:00:00Z');
const reset = Date.parse('2026-07-01T04:00:00Z');
const timeZone = 'UTC';

describe('evaluateSessionFreshness', () => {
  const daily = { mode: 'daily', atHour: 4 } as const;
  const idle = { mode: 'idle', atHour: 4, idleMinutes: 60 } as const;

  it('daily: over when not used since the last reset', () => {
    expect(evaluateSessionFreshness({ updatedAt: reset, now, policy: daily, timeZone })).toEqual({
      fresh: true,
      dailyResetAt: reset,
    });
    expect(evaluateSessionFreshness({ updatedAt: reset - 1, now, policy: daily, timeZone })).toEqual({
      fresh: false,
      dailyResetAt: reset,
      staleReason: 'daily',
    });
  });

  it('idle: over when not used for longer than the time', () => {
    const updatedAt = now - hour;
    expect(evaluateSessionFreshness({ updatedAt, now, policy: idle, timeZone })).toEqual({
      fresh: true,
      idleExpiresAt: now,
    });
    expect(evaluateSessionFreshness({ updatedAt: updatedAt - 1, now, policy: idle, timeZone })).toEqual({
      fresh: false,
      idleExpiresAt: now - 1,
      staleReason: 'idle',
    });
  });

  it.each<[string, number, boolean, string | undefined]>([
    ['both far', now - 10 * minute, true, undefined],
    ['idle passed, daily not', now - 2 * hour, false, 'idle'],
    ['daily came first', reset - 10 * minute, false, 'daily'],
    ['idle came first', reset - 5 * hour, false, 'idle'],
  ])('both set: whichever comes first: %s', (_name, updatedAt, fresh, staleReason) => {
    const policy = { mode: 'daily', atHour: 4, idleMinutes: 60 } as const;
    const result = evaluateSessionFreshness({ updatedAt, now, policy, timeZone });
    expect([result.fresh, result.staleReason]).toEqual([fresh, staleReason]);
    expect(result).toMatchObject({ dailyResetAt: reset, idleExpiresAt: updatedAt + hour });
  });

  it('idle mode does not look at the hour', () => {
    const policy = { ...idle, idleMinutes: 24 * 60 };
    expect(evaluateSessionFreshness({ updatedAt: reset - hour, now, policy, timeZone }).fresh).toBe(true);
  });

  it('manual mode never ends a session', () => {
    const policy = { mode: 'manual', atHour: 4, idleMinutes: 1 } as const;
    expect(evaluateSessionFreshness({ updatedAt: 0, now, policy })).toEqual({ fresh: true });
  });

  it('a clock that was set back leaves the session fresh, and the time ahead gives no credit', () => {
    const policy = { mode: 'daily', atHour: 4, idleMinutes: 60 } as const;
    const updatedAt = now + 365 * 24 * hour;
    expect(evaluateSessionFreshness({ updatedAt, now, policy, timeZone })).toEqual({
      fresh: true,
      dailyResetAt: reset,
      idleExpiresAt: now + hour,
    });
  });

  it.each([Number.NaN, undefined, null, 'yesterday'])(
    'without a usable time (%s) it is fresh',
    (updatedAt) => {
      const policy = { mode: 'daily', atHour: 4, idleMinutes: 60 } as const;
      const params = { updatedAt: updatedAt as unknown as number, now, policy, timeZone };
      expect(evaluateSessionFreshness(params)).toEqual({ fresh: true, dailyResetAt: reset });
    },
  );

  it('the skipped hour ends the session at the jump', () => {
    const policy = { mode: 'daily', atHour: 2 } as const;
    const jump = Date.parse('2026-03-08T07:00:00Z');
    const fresh = (updatedAt: number, at: number) =>
      evaluateSessionFreshness({ updatedAt, now: at, policy, timeZone: 'America/New_York' }).fresh;
    expect(fresh(jump - minute, jump - 1)).toBe(true);
    expect(fresh(jump - minute, jump)).toBe(false);
    expect(fresh(jump, jump + hour)).toBe(true);
  });

  it('the hour that comes twice ends it once', () => {
    const policy = { mode: 'daily', atHour: 1 } as const;
    const first = Date.parse('2026-11-01T05:00:00Z');
    const fresh = (updatedAt: number, at: number) =>
      evaluateSessionFreshness({ updatedAt, now: at, policy, timeZone: 'America/New_York' }).fresh;
    expect(fresh(first - 1, first)).toBe(false);
    expect(fresh(first + minute, first + 90 * minute)).toBe(true);
  });
});

describe('resolveSessionResetPolicy', () => {
  const policy = (sessionCfg?: SessionConfig, resetType: 'direct' | 'dm' | 'group' | 'thread' = 'direct') =>
    resolveSessionResetPolicy({ sessionCfg, resetType });

  it('daily at 4 when nothing is configured', () => {
    expect(policy()).toEqual({ mode: 'daily', atHour: 4 });
    expect(policy({})).toEqual({ mode: 'daily', atHour: 4 });
    expect(policy({ reset: {} })).toEqual({ mode: 'daily', atHour: 4 });
  });

  it('an hour in idle mode that names no time', () => {
    expect(policy({ reset: { mode: 'idle' } })).toEqual({ mode: 'idle', atHour: 4, idleMinutes: 60 });
  });

  it('daily with an idle time has both', () => {
    expect(policy({ reset: { idleMinutes: 30, atHour: 6 } })).toEqual({
      mode: 'daily',
      atHour: 6,
      idleMinutes: 30,
    });
  });

  it('by type, with the rest from the general setting', () => {
    const cfg: SessionConfig = {
      reset: { mode: 'daily', atHour: 5 },
      resetByType: { group: { mode: 'idle', idleMinutes: 120 }, thread: { atHour: 7 } },
    };
    expect(policy(cfg, 'direct')).toEqual({ mode: 'daily', atHour: 5 });
    expect(policy(cfg, 'group')).toEqual({ mode: 'idle', atHour: 5, idleMinutes: 120 });
    expect(policy(cfg, 'thread')).toEqual({ mode: 'daily', atHour: 7 });
  });

  it('dm and direct are one type, direct first', () => {
    const dm: SessionConfig = { resetByType: { dm: { mode: 'idle', idleMinutes: 9 } } };
    expect(policy(dm, 'direct').idleMinutes).toBe(9);
    expect(policy(dm, 'dm').idleMinutes).toBe(9);
    const both: SessionConfig = { resetByType: { dm: { idleMinutes: 9 }, direct: { idleMinutes: 8 } } };
    expect(policy(both, 'dm').idleMinutes).toBe(8);
  });

  it('a channel replaces everything else', () => {
    const sessionCfg: SessionConfig = {
      reset: { mode: 'daily', atHour: 5, idleMinutes: 7 },
      resetByType: { group: { mode: 'idle', idleMinutes: 120 } },
      resetByChannel: { WhatsApp: { mode: 'idle', idleMinutes: 30 }, slack: { mode: 'daily' } },
      idleMinutes: 3,
    };
    const on = (channel: string) => resolveSessionResetPolicy({ sessionCfg, resetType: 'group', channel });
    expect(on('whatsapp')).toEqual({ mode: 'idle', atHour: 4, idleMinutes: 30 });
    expect(on(' Slack ')).toEqual({ mode: 'daily', atHour: 4 });
    expect(on('telegram')).toEqual({ mode: 'idle', atHour: 5, idleMinutes: 120 });
    expect(on('constructor')).toEqual({ mode: 'idle', atHour: 5, idleMinutes: 120 });
    expect(
      resolveSessionResetPolicy({
        sessionCfg,
        resetType: 'group',
        resetOverride: resolveChannelResetConfig({ sessionCfg, channel: 'whatsapp' }),
      }),
    ).toEqual(on('whatsapp'));
  });

  it('an old idleMinutes means idle mode, unless a reset is configured', () => {
    expect(policy({ idleMinutes: 45 })).toEqual({ mode: 'idle', atHour: 4, idleMinutes: 45 });
    expect(policy({ idleMinutes: 45, reset: { atHour: 6 } })).toEqual({
      mode: 'daily',
      atHour: 6,
      idleMinutes: 45,
    });
    expect(policy({ idleMinutes: 45, resetByType: {} }).mode).toBe('daily');
  });

  it.each<[unknown, number | undefined]>([
    [0, 1],
    [-5, 1],
    [1.9, 1],
    [Number.NaN, undefined],
    ['30', undefined],
  ])('idleMinutes %s is %s', (idleMinutes, expected) => {
    expect(policy({ reset: { mode: 'daily', idleMinutes: idleMinutes as number } }).idleMinutes).toBe(
      expected,
    );
  });

  it('an unknown mode is ignored', () => {
    expect(policy({ reset: { mode: 'weekly' as SessionResetMode } }).mode).toBe('daily');
    expect(policy({ reset: { mode: 'manual' } }).mode).toBe('manual');
  });
});

describe('resolveSessionResetType', () => {
  it.each<[object, string]>([
    [{ sessionKey: 'agent:main:main' }, 'direct'],
    [{ sessionKey: 'agent:main:telegram:dm:42' }, 'direct'],
    [{ sessionKey: 'agent:main:telegram:group:-1' }, 'group'],
    [{ sessionKey: 'agent:main:slack:channel:c1' }, 'group'],
    [{ sessionKey: 'slack:channel:c1' }, 'group'],
    [{ sessionKey: 'agent:main:slack:channel:c1:thread:t' }, 'thread'],
    [{ sessionKey: 'agent:main:telegram:group:-1:topic:2' }, 'thread'],
    [{ sessionKey: 'agent:main:main', isGroup: true }, 'group'],
    [{ sessionKey: 'agent:main:main', isGroup: true, isThread: true }, 'thread'],
    [{}, 'direct'],
    [{ sessionKey: 'agent:main:dm:x%3athread%3ay' }, 'direct'],
  ])('%j is %s', (params, expected) => {
    expect(resolveSessionResetType(params)).toBe(expected);
  });
});

describe('resolveThreadFlag', () => {
  it.each<[object, boolean]>([
    [{}, false],
    [{ sessionKey: 'agent:main:main' }, false],
    [{ sessionKey: 'agent:main:main:thread:1' }, true],
    [{ messageThreadId: 0 }, true],
    [{ messageThreadId: '42' }, true],
    [{ messageThreadId: '  ' }, false],
    [{ threadLabel: 'plans' }, true],
    [{ threadLabel: ' ' }, false],
    [{ threadStarterBody: 'hi' }, true],
    [{ parentSessionKey: 'agent:main:main' }, true],
  ])('%j: %s', (params, expected) => {
    expect(resolveThreadFlag(params)).toBe(expected);
  });
});
