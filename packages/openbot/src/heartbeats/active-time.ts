import type { ActiveHours } from '../config/heartbeats.ts';
import { isMachineZone } from '../config/machine-zone.ts';

const MINUTE = 60_000;
const DAY = 24 * 60;
/** Clocks are never moved by more than this. */
const MOST_MOVED = 3 * 60;

/** Whether the wall clock of the zone is within the hours. */
export function isActive(at: number, hours: ActiveHours | undefined): boolean {
  if (hours === undefined) return true;
  const { start, end } = hours;
  const minute = minuteOfDay(at, hours.timeZone);
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/** The first time from `at` on that is within the hours, to the minute. */
export function nextActive(at: number, hours: ActiveHours | undefined): number {
  if (hours === undefined || isActive(at, hours)) return at;
  let time = Math.floor(at / MINUTE) * MINUTE;
  // A second round where the clock is set back on the way.
  for (let rounds = 0; rounds < 3 && !isActive(time, hours); rounds++) {
    const left = (hours.start - minuteOfDay(time, hours.timeZone) + DAY) % DAY;
    time += (left === 0 ? DAY : left) * MINUTE;
  }
  // Where the clock was set forward on the way, the hours began earlier.
  for (let moved = 0; moved < MOST_MOVED; moved++) {
    const before = time - MINUTE;
    if (before <= at || !isActive(before, hours)) break;
    time = before;
  }
  return time;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(at: number, timeZone: string): number {
  const date = new Date(at);
  if (isMachineZone(timeZone)) return date.getHours() * 60 + date.getMinutes();
  const formatter =
    formatters.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' });
  formatters.set(timeZone, formatter);
  const [hours = 0, minutes = 0] = formatter.format(date).split(':').map(Number);
  return hours * 60 + minutes;
}
