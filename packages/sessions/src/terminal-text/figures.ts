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

/** `1 line`, `2 lines`, `184,000 lines` */
export function formatQuantity(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `184,000` */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `9,500`, `184k`, `123.6M` */
export function roundCount(count: number): string {
  if (count < 10_000) return formatCount(count);
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** An amount of US dollars: whole cents, unless it is a part of one. */
export function formatUsd(usd: number): string {
  return `$${Number.isInteger(Math.round(usd * 1e6) / 1e4) ? usd.toFixed(2) : usd.toFixed(4)}`;
}
