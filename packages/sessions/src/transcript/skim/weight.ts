/**
 * What a JSON value weighs in a model's context, in characters: about the length of its compact JSON text. Strings
 * and keys count their UTF-16 units, every number, boolean and null counts SCALAR_WEIGHT, every member and element
 * PUNCTUATION_WEIGHT. The skimmer computes the same figure from bytes without building the value, which is why it
 * is not simply JSON.stringify().length.
 */
export const SCALAR_WEIGHT = 4;
export const PUNCTUATION_WEIGHT = 3;

/** Below this depth nothing is weighed; no tool nests so deep, and a hostile line must not overflow the stack. */
export const MAX_DEPTH = 200;

export function weigh(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return SCALAR_WEIGHT;
  if (depth >= MAX_DEPTH) return 0;
  let total = 0;
  if (Array.isArray(value)) {
    for (const element of value) total += PUNCTUATION_WEIGHT + weigh(element, depth + 1);
    return total;
  }
  for (const [key, member] of Object.entries(value)) {
    total += PUNCTUATION_WEIGHT + key.length + weigh(member, depth + 1);
  }
  return total;
}
