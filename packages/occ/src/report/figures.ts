import { percentOf } from '@openbot/sessions/terminal-text';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `125 KB`, `4.2 MB`: at most three digits, in units of 1024. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be rounded to 1000.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 9.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** `45 → 38 (16% reduction)`, `45 (unchanged)` */
export function formatChange(before: number, after: number, show: (value: number) => string): string {
  if (before === after) return `${show(before)} (unchanged)`;
  return `${show(before)} → ${show(after)} (${describeChange(before, after)})`;
}

function describeChange(before: number, after: number): string {
  if (after < before) return `${percentOf(before - after, before)}% reduction`;
  if (before <= 0) return 'increase';
  return `${Math.max(1, Math.round(((after - before) / before) * 100))}% increase`;
}

/** `2026-11-15 20:58 UTC` */
export function formatMinute(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return 'an unknown time';
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
