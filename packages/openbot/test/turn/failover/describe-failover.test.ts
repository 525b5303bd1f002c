import { describe, expect, test } from 'vitest';
import { describeAllFailed, noticeOfChange } from '../../../src/turn/failover/describe-failover.ts';

const NOW = 1_000_000;

describe('describeAllFailed', () => {
  test('names each model, its reason and when to try again', () => {
    const failed = [
      { name: 'p/a', failure: 'overloaded', error: 'Overloaded.', until: NOW + 240_000 },
      { name: 'p/b', failure: 'unauthorised', error: 'invalid x-api-key sk-ant-api03-abcdefghijklmnopqrst' },
      { name: 'p/c', failure: 'rate-limited', until: NOW + 61_000 },
    ];
    const { error, hint, isTransient } = describeAllFailed(failed, NOW);
    expect(error).toMatch(
      /^No model answered: p\/a is overloaded \(Overloaded\); p\/b has no valid key \(invalid x-api-key .*\); p\/c has reached its rate limit\.$/,
    );
    expect(error).not.toContain('abcdefghijklmnopqrst');
    expect(hint).toBe(
      'Your message is kept in the conversation; send another one to try again in 2 minutes.',
    );
    expect(isTransient).toBe(true);
  });

  test('says what a person has to do where waiting does not help', () => {
    const failed = [
      { name: 'p/a', failure: 'exhausted' },
      { name: 'p/b', error: 'There is no such tool' },
    ];
    expect(describeAllFailed(failed, NOW)).toEqual({
      error: 'No model answered: p/a has no credit left; p/b failed (There is no such tool).',
      hint: 'Set a valid key or add credit, or choose another model with /new <model>.',
      isTransient: false,
    });
  });
});

describe('noticeOfChange', () => {
  const away = { wanted: 'p/a', answered: 'p/b', failure: 'overloaded' };
  const told = { fallbackNoticeSelectedModel: 'p/a', fallbackNoticeActiveModel: 'p/b' };

  test('is said when another model begins to answer, and not again', () => {
    expect(noticeOfChange({}, away)).toEqual({
      text: '↪️ p/a is overloaded. p/b answers instead.',
      notice: { selected: 'p/a', active: 'p/b', reason: 'overloaded' },
    });
    expect(noticeOfChange(told, away)).toBeUndefined();
    expect(noticeOfChange(told, { ...away, answered: 'p/c' })?.text).toContain('p/c answers');
  });

  test('is said when the first one is back, and not again', () => {
    const back = { wanted: 'p/a', answered: 'p/a', failure: undefined };
    expect(noticeOfChange(told, back)).toEqual({ text: '↩️ p/a answers again.', notice: null });
    expect(noticeOfChange({}, back)).toBeUndefined();
  });

  test('is not said to a person who chose another model', () => {
    const chosen = { wanted: 'p/c', answered: 'p/c', failure: undefined };
    expect(noticeOfChange(told, chosen)).toEqual({ notice: null });
  });
});
