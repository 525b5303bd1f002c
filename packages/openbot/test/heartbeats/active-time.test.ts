import { describe, expect, test } from 'vitest';
import type { ActiveHours } from '../../src/config/heartbeats.ts';
import { isActive, nextActive } from '../../src/heartbeats/active-time.ts';

const hours = (start: number, end: number, timeZone = 'Europe/Berlin'): ActiveHours => ({
  start: start * 60,
  end: end * 60,
  timeZone,
});
const at = (text: string) => Date.parse(text);
const next = (from: string, when: ActiveHours) => new Date(nextActive(at(from), when)).toISOString();

describe('isActive', () => {
  test('from the start up to the end', () => {
    const day = hours(8, 22);
    expect(isActive(at('2026-01-10T06:59:59Z'), day)).toBe(false);
    expect(isActive(at('2026-01-10T07:00:00Z'), day)).toBe(true);
    expect(isActive(at('2026-01-10T20:59:59Z'), day)).toBe(true);
    expect(isActive(at('2026-01-10T21:00:00Z'), day)).toBe(false);
  });

  test('over midnight, to the end of the day, and at all times', () => {
    const night = hours(22, 6);
    expect(isActive(at('2026-01-10T22:00:00Z'), night)).toBe(true);
    expect(isActive(at('2026-01-10T04:59:00Z'), night)).toBe(true);
    expect(isActive(at('2026-01-10T05:00:00Z'), night)).toBe(false);
    expect(isActive(at('2026-01-10T22:59:00Z'), hours(8, 24))).toBe(true);
    expect(isActive(at('2026-01-10T23:00:00Z'), hours(8, 24))).toBe(false);
    expect(isActive(0, undefined)).toBe(true);
  });
});

describe('nextActive', () => {
  test('is now within the hours, and their next beginning outside of them', () => {
    const day = hours(8, 22);
    expect(next('2026-01-10T12:34:56.789Z', day)).toBe('2026-01-10T12:34:56.789Z');
    expect(next('2026-01-10T02:00:30Z', day)).toBe('2026-01-10T07:00:00.000Z');
    expect(next('2026-01-10T21:00:00Z', day)).toBe('2026-01-11T07:00:00.000Z');
  });

  test('follows the wall clock when it is set forward', () => {
    expect(next('2026-03-28T22:00:00Z', hours(8, 22))).toBe('2026-03-29T06:00:00.000Z');
    // 02:30 does not exist on that day: the hours begin with the jump, at 03:00.
    const skipped = { start: 150, end: 600, timeZone: 'Europe/Berlin' };
    expect(next('2026-03-28T22:00:00Z', skipped)).toBe('2026-03-29T01:00:00.000Z');
  });

  test('follows the wall clock when it is set back', () => {
    expect(next('2026-10-24T22:00:00Z', hours(8, 22))).toBe('2026-10-25T07:00:00.000Z');
    // 02:30 happens twice, and hours may end within the first one.
    const twice = { start: 150, end: 600, timeZone: 'Europe/Berlin' };
    expect(next('2026-10-24T22:00:00Z', twice)).toBe('2026-10-25T00:30:00.000Z');
  });

  test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'])(
    'finds the first minute of all in %s',
    (timeZone) => {
      const when = { start: 8 * 60 + 30, end: 22 * 60, timeZone };
      for (let day = 0; day < 365; day += 1) {
        const from = at('2026-01-01T00:00:00Z') + day * 86_400_000 + 3 * 3_600_000;
        const found = nextActive(from, when);
        expect(isActive(found, when)).toBe(true);
        expect(found - from).toBeLessThan(86_400_000);
        if (found > from) expect(isActive(found - 60_000, when)).toBe(false);
      }
    },
  );
});
