/** Shorter ones soon become ambiguous. */
const SHORTEST = 8;
/** Names that people choose are short, and hard to read when cut. */
const LONGEST_WHOLE = 24;

/**
 * Shortens each of these names to its shortest unique beginning, at least eight characters. A name that is short, that
 * occurs twice or that others begin with, stays whole.
 */
export function shortenNames(names: readonly string[]): (name: string) => string {
  const sorted = names.map((name) => name.toLowerCase()).sort();
  const lengths = new Map<string, number>();
  let before = 0;
  for (let at = 0; at < sorted.length; at++) {
    const name = sorted[at]!;
    const after = commonLength(name, sorted[at + 1], before);
    lengths.set(name, Math.max(SHORTEST, before + 1, after + 1, lengths.get(name) ?? 0));
    before = after;
  }
  return (name) => endOnWord(name, lengths.get(name.toLowerCase()) ?? name.length);
}

/** @param guess how much they probably share: names that were made one after the other begin alike */
function commonLength(a: string, b: string | undefined, guess: number): number {
  if (b === undefined) return 0;
  let length = b.startsWith(a.slice(0, guess)) ? guess : 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** A hyphen at the end would look like a word that was cut. */
function endOnWord(name: string, length: number): string {
  if (name.length <= LONGEST_WHOLE) return name;
  return name.slice(0, name[length - 1] === '-' ? length + 1 : length);
}
