const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A pause in a conversation that is worth a remark. */
const GAP = HOUR;

/** `3 h later`; undefined for a shorter time. */
export function describeGap(before: number | undefined, at: number | undefined): string | undefined {
  const gap = (at ?? Number.NaN) - (before ?? Number.NaN);
  if (!(gap >= GAP)) return undefined;
  if (gap < DAY) return `${Math.floor(gap / HOUR)} h later`;
  const days = Math.floor(gap / DAY);
  return days < 60 ? `${days} day${days === 1 ? '' : 's'} later` : `${Math.floor(days / 30.44)} months later`;
}

/** `2026-11-15 18:14`, in the time of this machine. */
export function formatLocalTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `2026-11-15 18:14 UTC`: what is exported is read anywhere. */
export function formatUtcTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
