const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`, `4 months ago` */
export function formatAge(at: number, now: number): string {
  const age = now - at;
  if (Number.isNaN(age)) return 'at an unknown time';
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  if (age < 60 * DAY) return count(age / DAY, 'day');
  if (age < 2 * 365 * DAY) return count(age / (30.44 * DAY), 'month');
  return count(age / (365.25 * DAY), 'year');
}

function count(amount: number, unit: string): string {
  const whole = Math.max(1, Math.floor(amount));
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}
