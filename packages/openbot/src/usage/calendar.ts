/** The day that a moment is on, `2026-11-15`. */
export type Calendar = (at: number) => string;

/**
 * @param zone an IANA name; the zone of the machine where there is none
 * @throws RangeError for a zone that does not exist
 */
export function openCalendar(zone?: string): Calendar {
  const days = new Map<number, string>();
  const read = zone === undefined ? readLocalDay : readDayIn(zone);
  return (at) => {
    // All moments of a quarter of an hour are on one day, and there are few quarters in a report.
    const slot = Math.floor(at / 900_000);
    const known = days.get(slot);
    if (known !== undefined) return known;
    const day = read(slot * 900_000);
    days.set(slot, day);
    return day;
  };
}

/** Of the machine's own zone: asking Intl for it takes milliseconds. */
function readLocalDay(at: number): string {
  const date = new Date(at);
  return joinDay(date.getFullYear(), date.getMonth() + 1, date.getDate());
}

function readDayIn(zone: string): Calendar {
  if (zone === 'UTC') return (at) => new Date(at).toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return joinDay(Number(parts.year), Number(parts.month), Number(parts.day));
  };
}

function joinDay(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
