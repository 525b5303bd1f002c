import { redactSecrets } from '@openbot/sessions';
import { shorten } from '@openbot/sessions/terminal-text';
import type { LeftOut } from './tool.ts';

/** A few thousand tokens, far below what clients cut off. */
const MAX_ANSWER_BYTES = 32_000;

/** The path of a list that may be shortened, and the end at which it loses items. */
export interface Shortenable {
  readonly path: readonly string[];
  readonly losesFirst?: 'start' | 'end';
}

/**
 * Shortens lists, the longest first, until the answer fits, and adds what was dropped to `leftOut`. Texts must be bounded
 * already.
 */
export function fitAnswer<T extends { readonly leftOut: readonly LeftOut[] }>(
  answer: T,
  lists: readonly Shortenable[],
): T {
  let fitted = answer;
  const dropped = new Map<string, number>();
  while (measure(fitted) > MAX_ANSWER_BYTES) {
    const longest = findLongest(fitted, lists);
    if (longest === undefined) break;
    const list = readList(fitted, longest.path);
    const count = Math.ceil(list.length / 8);
    const kept = longest.losesFirst === 'start' ? list.slice(count) : list.slice(0, -count);
    fitted = replaceAt(fitted, longest.path, kept) as T;
    const what = longest.path.join('.');
    dropped.set(what, (dropped.get(what) ?? 0) + count);
    fitted = { ...fitted, leftOut: addCounts(answer.leftOut, dropped) };
  }
  return fitted;
}

function measure(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function findLongest(answer: unknown, lists: readonly Shortenable[]): Shortenable | undefined {
  let longest: Shortenable | undefined;
  let most = 0;
  for (const one of lists) {
    const list = readList(answer, one.path);
    const size = list.length === 0 ? 0 : measure(list);
    if (size > most) [longest, most] = [one, size];
  }
  return longest;
}

function readList(answer: unknown, path: readonly string[]): readonly unknown[] {
  let at = answer;
  for (const name of path) at = (at as Record<string, unknown> | undefined)?.[name];
  return Array.isArray(at) ? at : [];
}

function replaceAt(answer: unknown, [name, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (name === undefined) return list;
  const record = answer as Record<string, unknown>;
  return { ...record, [name]: replaceAt(record[name], rest, list) };
}

function addCounts(before: readonly LeftOut[], dropped: ReadonlyMap<string, number>): LeftOut[] {
  const counts = new Map(before.map(({ what, count }) => [what, count]));
  for (const [what, count] of dropped) counts.set(what, (counts.get(what) ?? 0) + count);
  return [...counts].map(([what, count]) => ({ what, count }));
}

/** Text without secrets, shortened to `limit` characters. */
export function boundText(text: string, limit: number): string {
  // Redacts more than is shown: a secret that the limit cuts in two would not be recognised.
  return shorten(redactSecrets(text.slice(0, 2 * limit + 4096)), limit).toWellFormed();
}

/** Shortens every string in a value, at any depth. */
export function boundTexts<T>(value: T, limit: number): T {
  if (typeof value === 'string') return shorten(value.toWellFormed(), limit) as T;
  if (Array.isArray(value)) return value.map((item) => boundTexts(item, limit)) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const members = Object.entries(value).map(([name, member]) => [name, boundTexts(member, limit)]);
  return Object.fromEntries(members) as T;
}

/** ISO 8601. Undefined for an invalid time, and for a year without four digits. */
export function toIsoTime(value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string' && !(value instanceof Date)) return undefined;
  const time = new Date(value);
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time.toISOString() : undefined;
}
