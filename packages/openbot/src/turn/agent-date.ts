import { isMachineZone } from '../config/machine-zone.ts';
import { rememberZones } from './zone-formatter.ts';

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

function formatLocalDate(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}
