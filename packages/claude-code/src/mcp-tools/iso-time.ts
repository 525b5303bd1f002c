/** A moment as the schemas have it. Undefined for what is none, and for years that the form has no room for. */
export function toIsoTime(value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string' && !(value instanceof Date)) return undefined;
  const time = new Date(value);
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time.toISOString() : undefined;
}
