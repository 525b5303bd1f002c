import { OpenBotError } from '../errors.ts';

const DEFAULT_RESET_AT_HOUR = 4;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** No zone was ever further from UTC than this. */
const MAX_OFFSET = 16 * HOUR;
const LAST_INSTANT = 8.64e15 - 3 * DAY;

/**
 * The most recent daily reset at or before `now`. A day's reset is the first instant at which the zone's wall clock shows
 * `atHour`:00 of that day or anything later. So an hour that daylight saving skips resets at the moment of the jump, and
 * an hour that happens twice resets at its first occurrence only.
 */
export function resolveDailyResetAtMs(now: number, atHour: number, timeZone?: string): number {
  if (!Number.isFinite(now) || Math.abs(now) > LAST_INSTANT) {
    throw new OpenBotError('INVALID_ARGUMENT', `${now} is not a time in milliseconds`, {
      hint: 'Pass milliseconds since 1970, as Date.now() gives them.',
    });
  }
  const wallClock = now + zoneOffsetMs(now, timeZone);
  const today = Math.floor(wallClock / DAY) * DAY + normalizeResetAtHour(atHour) * HOUR;
  // A clock set back over midnight shows yesterday again after today's reset has passed: hence tomorrow first.
  for (const day of [today + DAY, today]) {
    const reset = findFirstInstantShowing(day, timeZone);
    if (reset <= now) return reset;
  }
  return findFirstInstantShowing(today - DAY, timeZone);
}

/** Whole hours from 0 to 23; what lies outside is moved to the nearer end, what is no number becomes 4. */
export function normalizeResetAtHour(atHour: unknown): number {
  if (typeof atHour !== 'number' || !Number.isFinite(atHour)) return DEFAULT_RESET_AT_HOUR;
  return Math.min(23, Math.max(0, Math.floor(atHour)));
}

/** `wallClock` is a local time written as if it were UTC. */
function findFirstInstantShowing(wallClock: number, timeZone: string | undefined): number {
  const earliest = wallClock - MAX_OFFSET;
  const latest = wallClock + MAX_OFFSET;
  const before = zoneOffsetMs(earliest, timeZone);
  const after = zoneOffsetMs(latest, timeZone);
  if (before === after) return wallClock - before;
  const change = findOffsetChange(earliest, latest, before, timeZone);
  return wallClock - before < change ? wallClock - before : Math.max(change, wallClock - after);
}

/** The first instant with another offset than `before`; offsets change at most once within two days. */
function findOffsetChange(
  earliest: number,
  latest: number,
  before: number,
  timeZone: string | undefined,
): number {
  let low = earliest;
  let high = latest;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffsetMs(middle, timeZone) === before) low = middle;
    else high = middle;
  }
  return high;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's wall clock is ahead of UTC at an instant, in ms. Without a zone: the system's. */
function zoneOffsetMs(instant: number, timeZone?: string): number {
  const date = new Date(instant);
  // The platform follows a change of TZ while running; a cached formatter would not.
  if (timeZone === undefined) return -date.getTimezoneOffset() * 60_000;
  const text = formatterFor(timeZone).format(date);
  const match = /GMT(?:([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?)?$/.exec(text);
  if (!match) throw new Error(`no UTC offset in ${JSON.stringify(text)}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = createFormatter(timeZone);
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function createFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new OpenBotError('INVALID_ARGUMENT', `unknown time zone ${JSON.stringify(timeZone)}`, {
      hint: 'Use an IANA name such as Europe/Berlin, or leave it out for the zone of this machine.',
      cause,
    });
  }
}
