import { TRUNCATION_LIMITS } from './tool-removal.ts';
import { truncateOutput } from './truncate-content.ts';

/** More members than fit into this are no form that a program reads, but data. */
const LARGEST_FORM = 1000;

/**
 * A second copy of arguments or output, which never reaches the model but which programs show. It keeps its form: texts
 * are shortened, lists are emptied, numbers and flags stay. The very same value when nothing is to be cut.
 */
export function cutCopy(value: unknown): unknown {
  const size = JSON.stringify(value)?.length ?? 0;
  if (size <= TRUNCATION_LIMITS.maxChars) return value;
  const cut = cutValue(value);
  const after = JSON.stringify(cut).length;
  if (after > LARGEST_FORM) return {};
  return after < size ? cut : value;
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string') return truncateOutput(value);
  if (Array.isArray(value)) return isSmall(value) ? value : [];
  if (typeof value !== 'object' || value === null || isSmall(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutValue(member)]));
}

function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length <= TRUNCATION_LIMITS.maxChars;
}
