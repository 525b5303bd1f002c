const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** ms of `30m`, `1h30m`, `90s`; a number alone is minutes, as in OpenClaw. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/.test(plain)) return Math.round(Number(plain) * UNITS.m!);
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(plain)) return undefined;
  const parts = [...plain.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  return Math.round(parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0));
}

/** Minutes since midnight of `08:30`; `24:00` is the end of the day. Undefined for anything else. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{2}):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const total = Number(hours) * 60 + Number(minutes);
  return total <= 24 * 60 ? total : undefined;
}
