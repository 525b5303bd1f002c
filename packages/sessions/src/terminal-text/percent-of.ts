/** `49%`, `<1%` */
export function formatPercent(part: number, whole: number): string {
  return part > 0 && part < whole / 200 ? '<1%' : `${percentOf(part, whole)}%`;
}

/** In whole percent; 0 and 100 only where they are exact. */
export function percentOf(part: number, whole: number): number {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return 100;
  return Math.min(99, Math.max(1, Math.round((part / whole) * 100)));
}
