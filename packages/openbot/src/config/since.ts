import { OpenBotError } from '@openbot/sessions';

/** A moment, or a day whose beginning is meant, in the time zone of the reader. */
export type Since = { readonly at: number; readonly day?: undefined } | { readonly day: string };

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };

/** `30m`, `12h`, `7d` (of 24 hours), `2w` before now; `2026-11-01`, `20261101`; `2026-11-01T08:30`. Throws USAGE. */
export function parseSince(flag: string, given: string, now: number): Since {
  const text = given.trim();
  const [, count, unit] = /^(\d{1,6})([mhdw])$/i.exec(text) ?? [];
  if (unit !== undefined) return { at: now - Number(count) * UNITS[unit.toLowerCase()]! * 1000 };
  const [, year, month, date] = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]\d\d:\d\d.*)?$/.exec(text) ?? [];
  const day = `${year}-${month}-${date}`;
  if (year !== undefined && isDay(day)) {
    if (text.length <= 10) return { day };
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return { at };
  }
  throw new OpenBotError('USAGE', `'${given}' is not a time for ${flag}`, {
    hint: 'A number of minutes, hours, days or weeks (30m, 12h, 7d, 2w), or a date: 2026-11-01, 20261101',
  });
}

/** The 31st of a month with 30 days is no day. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === day;
}
