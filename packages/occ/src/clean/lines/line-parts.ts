import { fromByteText, type MemberSpan, type Splice, toByteText } from '@openbot/sessions/rewrite';
import type { Cuts } from '../line-edit.ts';

/** A line that is being rewritten. */
export interface LineParts {
  /** One character a byte. */
  readonly line: string;
  readonly top: readonly MemberSpan[];
  readonly message: readonly MemberSpan[];
  readonly splice: Splice;
  readonly cuts: Cuts | undefined;
}

/** The value at a span of a line. */
export function readValue({ line }: Pick<LineParts, 'line'>, place: { start: number; end: number }): unknown {
  return JSON.parse(fromByteText(line.slice(place.start, place.end)));
}

/**
 * Replaces the value of a member by what `change` returns, unless that is the same value.
 * @returns the new value, if it changed
 */
export function changeValue(
  parts: LineParts,
  member: MemberSpan | undefined,
  change: (value: unknown) => unknown,
): { value: unknown } | undefined {
  if (member === undefined) return undefined;
  const before = readValue(parts, member);
  const value = change(before);
  if (value === before) return undefined;
  parts.splice.replace(member.start, member.end, toByteText(JSON.stringify(value)));
  return { value };
}

/** Removes a member from the line's own object, with its comma. */
export function removeTopMember({ top, splice }: LineParts, key: string): void {
  const at = top.findLastIndex((member) => member.key === key);
  const member = top[at];
  if (member === undefined) return;
  const before = top[at - 1];
  const next = top[at + 1];
  if (next !== undefined) splice.replace(member.keyStart, next.keyStart, '');
  else if (before !== undefined) splice.replace(before.end, member.end, '');
  else splice.replace(member.keyStart, member.end, '');
}

/** A short text, such as a block's type. */
export function readText(parts: LineParts, member: MemberSpan | undefined): string | undefined {
  if (member === undefined || parts.line[member.start] !== '"') return undefined;
  const plain = parts.line.slice(member.start + 1, member.end - 1);
  return plain.includes('\\') ? (readValue(parts, member) as string) : plain;
}
