import { findMember, type MemberSpan, Splice, toByteText } from '@openbot/sessions/rewrite';
import { TRUNCATION_LIMITS } from '../tool-removal.ts';
import { type LineParts, readValue } from './line-parts.ts';
import { truncateCopy, truncateText } from './truncate.ts';
import { truncateArguments } from './truncate-arguments.ts';

const MARKER = TRUNCATION_LIMITS.argumentMarker;

/** The text of a call's block with its arguments within the limits, or undefined if they are already. */
export function shortenCall(
  parts: LineParts,
  members: readonly MemberSpan[],
  names: { readonly keys: readonly string[]; readonly copy?: string },
  start: number,
  end: number,
  number: number,
): string | undefined {
  const block = new Splice(parts.line.slice(start, end));
  const put = (member: MemberSpan, value: unknown) =>
    block.replace(member.start - start, member.end - start, toByteText(JSON.stringify(value)));

  const key = names.keys.find((name) => findMember(members, name) !== undefined);
  const args = key === undefined ? undefined : findMember(members, key);
  let size = -1;
  if (args !== undefined) {
    const before = readValue(parts, args);
    const after = shortenArguments(before);
    if (after !== before) {
      put(args, after);
      size = JSON.stringify(after).length;
    }
  }
  const copy = names.copy === undefined ? undefined : findMember(members, names.copy);
  if (copy !== undefined) {
    const before = readValue(parts, copy);
    const after = typeof before === 'string' ? truncateText(before, MARKER) : truncateCopy(before);
    if (after !== before) put(copy, after);
  }
  if (block.isEmpty) return undefined;
  parts.cuts?.calls.set(number, size);
  return block.toString();
}

function shortenArguments(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return truncateArguments(value as Record<string, unknown>);
  }
  if (typeof value !== 'string' || value.length <= TRUNCATION_LIMITS.maxChars) return value;
  return truncateArguments(parseObject(value) ?? { arguments: value });
}

/** Arguments that a provider sent as text. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
