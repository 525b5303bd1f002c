import { isMachineZone } from '../config/machine-zone.ts';

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The day at a time in ms, where the agent is: `2026-01-12`. UTC without a time zone, and for one that is unknown. */
export function formatAgentDate(at: number, timeZone = 'UTC'): string {
  if (isMachineZone(timeZone)) return formatLocalDate(new Date(at));
  const parts = new Map(
    formatterFor(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

function formatLocalDate(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** Making a formatter takes longer than the rest of a prompt. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = makeFormatter(timeZone);
  formatters.set(timeZone, made);
  return made;
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  } catch {
    return makeFormatter('UTC');
  }
}
