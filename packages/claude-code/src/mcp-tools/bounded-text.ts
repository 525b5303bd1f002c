import { redactSecrets } from '@openbot/sessions';
import { shorten } from '@openbot/sessions/terminal-text';

/** What somebody said or wrote, as it may be handed on: without secrets, at most so many characters. */
export function boundText(text: string, limit: number): string {
  // What is far behind the end cannot be shown; a secret that is cut in two must still be seen whole.
  return shorten(redactSecrets(text.slice(0, 2 * limit + 4096)), limit).toWellFormed();
}

/** Every text in it with at most so many characters; everything else as it is. */
export function boundTexts<T>(value: T, limit: number): T {
  if (typeof value === 'string') return shorten(value.toWellFormed(), limit) as T;
  if (Array.isArray(value)) return value.map((item) => boundTexts(item, limit)) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const members = Object.entries(value).map(([name, member]) => [name, boundTexts(member, limit)]);
  return Object.fromEntries(members) as T;
}
