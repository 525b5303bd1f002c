import { COUNT, describe, listOf, objectOf, TEXT } from './schema.ts';

/** Something that an answer had no room for. */
export interface LeftOut {
  readonly what: string;
  readonly count: number;
}

export const LEFT_OUT_SCHEMA = describe(
  listOf(objectOf({ what: TEXT, count: COUNT })),
  'What there is besides and was left out for its size.',
);

/** A few thousand tokens, far below what clients cut off. */
export const MAX_ANSWER_BYTES = 32_000;

/** A list that may be made shorter, by the path of its names, and the end at which it loses. */
export interface Shortenable {
  readonly path: readonly string[];
  readonly losesFirst?: 'start' | 'end';
}

/**
 * The answer with lists so short that it fits, and what that cost added to `leftOut`. The longest list gives way first.
 * Texts must be bounded already.
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
