/**
 * Formatters of one kind by time zone, each made once: making one takes longer than the rest of a prompt. UTC for a zone
 * that is unknown.
 */
export function rememberZones(
  options: Intl.DateTimeFormatOptions,
): (at: number, timeZone: string) => ReadonlyMap<Intl.DateTimeFormatPartTypes, string> {
  const known = new Map<string, Intl.DateTimeFormat>();
  const make = (timeZone: string): Intl.DateTimeFormat => {
    try {
      return new Intl.DateTimeFormat('en-US', { ...options, timeZone });
    } catch {
      return make('UTC');
    }
  };
  return (at, timeZone) => {
    const formatter = known.get(timeZone) ?? make(timeZone);
    known.set(timeZone, formatter);
    return new Map(formatter.formatToParts(at).map(({ type, value }) => [type, value]));
  };
}
