import { isMachineZone } from '../config/machine-zone.ts';

const dateParts = rememberZones({
  calendar: 'gregory',
  numberingSystem: 'latn',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day at a time in ms, where the agent is: `2026-01-12`. UTC without a time zone, and for one that is unknown. */
export function formatAgentDate(at: number, timeZone = 'UTC'): string {
  if (isMachineZone(timeZone)) return formatLocalDate(new Date(at));
  const parts = dateParts(at, timeZone);
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

/** @param date `2026-01-12` */
export function weekdayOf(date: string): string {
  return WEEKDAYS[new Date(date).getUTCDay()]!;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

function formatLocalDate(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

/**
 * Formatters of one kind by time zone, each made once: making one takes longer than the rest of a prompt. UTC for a zone
 * that is unknown.
 */
export function rememberZones(
  options: Intl.DateTimeFormatOptions,
): (at: number, timeZone: string) => ReadonlyMap<Intl.DateTimeFormatPartTypes, string> {
  const known = new Map<string, Intl.DateTimeFormat>();
  const make = (timeZone: string): Intl.DateTimeFormat => {
    try {
      return new Intl.DateTimeFormat('en-US', { ...options, timeZone });
    } catch {
      return make('UTC');
    }
  };
  return (at, timeZone) => {
    const formatter = known.get(timeZone) ?? make(timeZone);
    known.set(timeZone, formatter);
    return new Map(formatter.formatToParts(at).map(({ type, value }) => [type, value]));
  };
}
