import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { normalizeResetAtHour, resolveDailyResetAtMs } from '../../src/policy/daily-reset.ts';

const at = (iso: string) => {
  const instant = Date.parse(iso);
  if (Number.isNaN(instant)) throw new Error(`not a time: ${iso}`);
  return instant;
};
const iso = (instant: number) => new Date(instant).toISOString();

type Case = [zone: string, atHour: number, now: string, reset: string, why: string];

const ordinary: Case[] = [
  ['UTC', 4, '2026-07-01T04:00:00Z', '2026-07-01T04:00:00Z', 'the very instant counts'],
  ['UTC', 4, '2026-07-01T03:59:59.999Z', '2026-06-30T04:00:00Z', 'a millisecond earlier does not'],
  ['UTC', 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'midnight, new year'],
  ['UTC', 23, '2024-03-01T12:00:00Z', '2024-02-29T23:00:00Z', 'leap day'],
  ['Asia/Kolkata', 4, '2026-07-01T00:00:00Z', '2026-06-30T22:30:00Z', 'half-hour zone'],
  ['Asia/Kathmandu', 4, '2026-07-01T00:00:00Z', '2026-06-30T22:15:00Z', 'quarter-hour zone'],
  ['Pacific/Kiritimati', 4, '2026-07-01T00:00:00Z', '2026-06-30T14:00:00Z', '14 hours ahead'],
  ['Etc/GMT+12', 4, '2026-07-01T17:00:00Z', '2026-07-01T16:00:00Z', '12 hours behind'],
  ['+05:45', 4, '2026-07-01T00:00:00Z', '2026-06-30T22:15:00Z', 'a zone given as an offset'],
];

const springForward: Case[] = [
  ['America/New_York', 4, '2026-03-07T12:00:00Z', '2026-03-07T09:00:00Z', 'the day before, winter time'],
  ['America/New_York', 4, '2026-03-08T12:00:00Z', '2026-03-08T08:00:00Z', 'the day itself, summer time'],
  ['America/New_York', 2, '2026-03-08T12:00:00Z', '2026-03-08T07:00:00Z', '2:00 is skipped: at the jump'],
  ['America/New_York', 2, '2026-03-08T07:00:00Z', '2026-03-08T07:00:00Z', 'at the jump itself'],
  ['America/New_York', 2, '2026-03-08T06:59:59.999Z', '2026-03-07T07:00:00Z', 'just before the jump'],
  ['America/New_York', 3, '2026-03-08T12:00:00Z', '2026-03-08T07:00:00Z', '3:00 begins with the jump'],
  ['America/New_York', 2, '2026-03-09T12:00:00Z', '2026-03-09T06:00:00Z', '2:00 is back the next day'],
  ['Europe/Berlin', 4, '2026-03-29T12:00:00Z', '2026-03-29T02:00:00Z', 'summer time'],
  ['Europe/Berlin', 2, '2026-03-29T12:00:00Z', '2026-03-29T01:00:00Z', '2:00 is skipped'],
  ['Europe/Berlin', 2, '2026-03-29T00:59:59Z', '2026-03-28T01:00:00Z', 'before the jump'],
  ['Australia/Lord_Howe', 2, '2026-10-03T20:00:00Z', '2026-10-03T15:30:00Z', 'half an hour is skipped'],
  [
    'Australia/Lord_Howe',
    3,
    '2026-10-03T20:00:00Z',
    '2026-10-03T16:00:00Z',
    'and 3:00 comes half an hour later',
  ],
  ['America/Sao_Paulo', 0, '2018-11-04T12:00:00Z', '2018-11-04T03:00:00Z', 'midnight is skipped'],
  ['America/Sao_Paulo', 0, '2018-11-04T02:59:59Z', '2018-11-03T03:00:00Z', 'before that midnight'],
  ['Africa/Cairo', 0, '2023-04-28T12:00:00Z', '2023-04-27T22:00:00Z', 'midnight is skipped'],
  ['America/Nuuk', 23, '2024-03-31T02:00:00Z', '2024-03-31T01:00:00Z', '23:00 to midnight is skipped'],
  ['America/Nuuk', 23, '2024-04-01T02:00:00Z', '2024-04-01T00:00:00Z', 'the next evening'],
  ['Pacific/Apia', 4, '2011-12-30T10:30:00Z', '2011-12-30T10:00:00Z', 'a whole day is skipped'],
  ['Pacific/Apia', 4, '2011-12-30T15:00:00Z', '2011-12-30T14:00:00Z', 'the day after has its own'],
];

const fallBack: Case[] = [
  ['America/New_York', 1, '2026-11-01T05:30:00Z', '2026-11-01T05:00:00Z', 'first 1:30'],
  ['America/New_York', 1, '2026-11-01T06:30:00Z', '2026-11-01T05:00:00Z', 'second 1:30: no second reset'],
  ['America/New_York', 4, '2026-11-01T12:00:00Z', '2026-11-01T09:00:00Z', 'winter time'],
  [
    'America/New_York',
    2,
    '2026-11-01T12:00:00Z',
    '2026-11-01T07:00:00Z',
    '2:00 happens once, in winter time',
  ],
  ['Europe/Berlin', 2, '2026-10-25T00:30:00Z', '2026-10-25T00:00:00Z', 'first 2:30'],
  ['Europe/Berlin', 2, '2026-10-25T01:30:00Z', '2026-10-25T00:00:00Z', 'second 2:30'],
  ['Europe/Berlin', 3, '2026-10-25T01:30:00Z', '2026-10-24T01:00:00Z', '3:00 has not come yet'],
  ['Europe/Berlin', 3, '2026-10-25T02:00:00Z', '2026-10-25T02:00:00Z', 'and comes once'],
  ['Australia/Lord_Howe', 1, '2026-04-04T15:15:00Z', '2026-04-04T14:00:00Z', '1:45 for the second time'],
  ['Australia/Lord_Howe', 2, '2026-04-04T15:15:00Z', '2026-04-03T15:00:00Z', '2:00 has not come yet'],
  ['Australia/Lord_Howe', 2, '2026-04-04T16:00:00Z', '2026-04-04T15:30:00Z', 'half an hour late'],
  ['America/Sao_Paulo', 23, '2019-02-17T02:30:00Z', '2019-02-17T01:00:00Z', 'second 23:30 of the 16th'],
  ['America/Sao_Paulo', 0, '2019-02-17T02:30:00Z', '2019-02-16T02:00:00Z', 'midnight has not come yet'],
  ['America/Sao_Paulo', 0, '2019-02-17T03:00:00Z', '2019-02-17T03:00:00Z', 'midnight of the 17th'],
  ['Africa/Cairo', 0, '2023-10-26T21:30:00Z', '2023-10-25T21:00:00Z', 'midnight has not come yet'],
  ['Africa/Cairo', 0, '2023-10-26T22:00:00Z', '2023-10-26T22:00:00Z', 'and comes once'],
  ['America/St_Johns', 0, '2010-11-07T02:45:00Z', '2010-11-07T02:30:00Z', 'yesterday again, after midnight'],
  ['America/St_Johns', 0, '2010-11-07T03:45:00Z', '2010-11-07T02:30:00Z', 'midnight twice: the first'],
];

describe('resolveDailyResetAtMs', () => {
  it.each(ordinary)('%s at %i: %s → %s (%s)', (zone, atHour, now, reset) => {
    expect(iso(resolveDailyResetAtMs(at(now), atHour, zone))).toBe(iso(at(reset)));
  });

  it.each(springForward)('clocks go forward: %s at %i: %s → %s (%s)', (zone, atHour, now, reset) => {
    expect(iso(resolveDailyResetAtMs(at(now), atHour, zone))).toBe(iso(at(reset)));
  });

  it.each(fallBack)('clocks go back: %s at %i: %s → %s (%s)', (zone, atHour, now, reset) => {
    expect(iso(resolveDailyResetAtMs(at(now), atHour, zone))).toBe(iso(at(reset)));
  });

  it('agrees with watching the wall clock minute by minute', HUNT, () => {
    const changes: [string, string][] = [
      ['America/New_York', '2026-03-08T07:00:00Z'],
      ['America/New_York', '2026-11-01T06:00:00Z'],
      ['Europe/Berlin', '2026-03-29T01:00:00Z'],
      ['Europe/Berlin', '2026-10-25T01:00:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
      ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
      ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
      ['America/Sao_Paulo', '2019-02-17T02:00:00Z'],
      ['Africa/Cairo', '2023-04-27T22:00:00Z'],
      ['Africa/Cairo', '2023-10-26T21:00:00Z'],
      ['America/Nuuk', '2024-03-31T01:00:00Z'],
      ['America/Nuuk', '2024-10-27T01:00:00Z'],
      ['America/St_Johns', '2010-11-07T02:31:00Z'],
      ['America/St_Johns', '2011-03-13T03:31:00Z'],
      ['Pacific/Apia', '2011-12-30T10:00:00Z'],
      ['Asia/Tehran', '2022-03-21T20:30:00Z'],
      ['Asia/Pyongyang', '2018-05-04T15:00:00Z'],
      ['America/Caracas', '2016-05-01T07:00:00Z'],
    ];
    const nearChange = fc.tuple(
      fc.constantFrom(...changes),
      fc.integer({ min: -30 * 60, max: 30 * 60 }),
      fc.integer({ min: 0, max: 23 }),
    );
    fc.assert(
      fc.property(nearChange, ([[zone, change], minutes, atHour]) => {
        const now = at(change) + minutes * 60_000;
        expect(iso(resolveDailyResetAtMs(now, atHour, zone))).toBe(iso(watchWallClock(now, atHour, zone)));
      }),
      cases({ gate: 17, torture: 2500 }),
    );
  });

  it('is never in the future, never more than two days back, and stays until the next', HUNT, () => {
    const zones = ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: at('1972-01-01T00:00:00Z'), max: at('2037-01-01T00:00:00Z') }),
        (zone, atHour, now) => {
          const reset = resolveDailyResetAtMs(now, atHour, zone);
          expect(reset).toBeLessThanOrEqual(now);
          expect(now - reset).toBeLessThan(49 * 3_600_000);
          expect(resolveDailyResetAtMs(reset, atHour, zone)).toBe(reset);
        },
      ),
      cases({ gate: 500, torture: 5000 }),
    );
  });

  describe('without a zone', () => {
    const before = process.env.TZ;
    afterEach(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });

    it('follows the zone of the system, also when that changes', () => {
      const now = at('2026-03-29T12:00:00Z');
      for (const zone of ['Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe']) {
        process.env.TZ = zone;
        for (const atHour of [0, 2, 4, 23]) {
          expect(resolveDailyResetAtMs(now, atHour)).toBe(resolveDailyResetAtMs(now, atHour, zone));
        }
      }
      process.env.TZ = 'Europe/Berlin';
      expect(iso(resolveDailyResetAtMs(now, 2))).toBe('2026-03-29T01:00:00.000Z');
    });
  });

  it('refuses an unknown zone and an invalid time', () => {
    const refusal = (run: () => unknown) =>
      expect(run).toThrowError(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', hint: expect.any(String) as string }),
      );
    for (const zone of ['Mars/Olympus', '', '../etc', 'Europe/Berlin\u0000']) {
      refusal(() => resolveDailyResetAtMs(0, 4, zone));
    }
    for (const now of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, -8.64e15]) {
      refusal(() => resolveDailyResetAtMs(now, 4, 'UTC'));
    }
  });

  it.each<[unknown, number]>([
    [4, 4],
    [0, 0],
    [-3, 0],
    [24, 23],
    [4.9, 4],
    [Number.NaN, 4],
    [undefined, 4],
    ['7', 4],
  ])('reads the hour %s as %i', (raw, expected) => {
    expect(normalizeResetAtHour(raw)).toBe(expected);
  });
});

/** The rule told in another way: step through the minutes, note when the clock first passes a day's reset. */
function watchWallClock(now: number, atHour: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const read = (instant: number) => {
    const part = Object.fromEntries(
      clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute);
  };
  const day = 86_400_000;
  const passedResets = (wallClock: number) => Math.floor((wallClock - atHour * 3_600_000) / day);
  let furthest = read(now - 52 * 3_600_000);
  let last = Number.NaN;
  for (let instant = now - 52 * 3_600_000; instant <= now; instant += 60_000) {
    const shown = read(instant);
    if (passedResets(shown) > passedResets(furthest)) last = instant;
    furthest = Math.max(furthest, shown);
  }
  return last;
}
