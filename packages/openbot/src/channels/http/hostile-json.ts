/** Reading JSON of which nothing is trusted: a value of another kind than expected is absent. */

export type Json = Readonly<Record<string, unknown>>;

export function readObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function parseObject(text: string): Json | undefined {
  try {
    return readObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function readObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(readObject).filter((item) => item !== undefined) : [];
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An id: on one line, without control characters or halves of characters, not endless. Numbers are ids too. */
export function readId(value: unknown, longest = 512): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || text.length > longest || text.trim() === '') return undefined;
  if (!text.isWellFormed()) return undefined;
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? undefined : text;
}

/** A name for people: one line without invisible characters, cut. It decides nothing. */
export function readName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value
    .slice(0, 1000)
    // The zero-width joiner is part of emoji.
    .replace(/(?!\u200d)\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return [...name].slice(0, 200).join('') || undefined;
}

/** A line of what another program says, for a message of an error. */
export function readLine(value: unknown): string | undefined {
  const text = readName(value);
  return text === undefined || text.length <= 300 ? text : `${text.slice(0, 299)}…`;
}
