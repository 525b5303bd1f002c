/** What is sent along with a message and comes back in its statuses: which part of which reply it is. */
export interface SentPart {
  readonly key: string;
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** WhatsApp takes 512 characters. */
const LONGEST = 500;

/** Undefined for a key that is too long: such a message cannot be proved. */
export function writeCallbackData({ key, index, count }: SentPart): string | undefined {
  const text = `${index}/${count}:${key}`;
  return text.length > LONGEST ? undefined : text;
}

/** Undefined for what another program wrote. */
export function readCallbackData(text: string): SentPart | undefined {
  const [, index, count, key] = /^(\d{1,6})\/(\d{1,6}):(.+)$/s.exec(text) ?? [];
  return key === undefined ? undefined : { key, index: Number(index), count: Number(count) };
}
