/** Found by words, by meaning, or both. */
export type FoundBy = 'words' | 'meaning' | 'both';

export interface Ranked<T> {
  readonly item: T;
  readonly score: number;
  readonly foundBy: FoundBy;
}

/** Damps how much more the first counts than the second. */
const DAMPING = 60;

/**
 * One ranking of several: what is high in any of them is high, what is in several is higher. The scores of words and of
 * vectors cannot be compared, their ranks can.
 */
export function mergeRanks<T>(
  lists: readonly { readonly by: 'words' | 'meaning'; readonly items: readonly T[] }[],
  keyOf: (item: T) => string,
): Ranked<T>[] {
  const merged = new Map<string, Ranked<T>>();
  for (const { by, items } of lists) {
    for (const [rank, item] of items.entries()) {
      const before = merged.get(keyOf(item));
      merged.set(keyOf(item), {
        item: before?.item ?? item,
        score: (before?.score ?? 0) + 1 / (DAMPING + rank),
        foundBy: before === undefined || before.foundBy === by ? by : 'both',
      });
    }
  }
  return [...merged.values()].sort((one, other) => other.score - one.score);
}
