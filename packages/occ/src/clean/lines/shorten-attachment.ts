import {
  findMember,
  isArrayAt,
  isObjectAt,
  listElements,
  listMembers,
  type MemberSpan,
} from '@openbot/sessions/rewrite';
import { TRUNCATION_LIMITS } from '../tool-removal.ts';
import { changeValue, type LineParts } from './line-parts.ts';
import { noteOutput, shortenOutputs } from './shorten-outputs.ts';
import { truncateToolResult } from './truncate.ts';

/**
 * Shortens an attachment of Claude Code: a file or folder that a person named, or the report of a background agent that
 * arrived during a turn. Both the form that the model gets and the copy from which it is made.
 */
export function shortenAttachment(parts: LineParts): void {
  shortenRendered(parts, 'rendered');
  // The same for another position in the conversation: the model gets one of them.
  shortenRendered({ ...parts, cuts: undefined }, 'renderedInHumanTurn');
  const attachment = findMember(parts.top, 'attachment');
  const file = findAt(parts, attachment, ['content', 'file']);
  const cut = [
    changeValue(parts, findAt(parts, attachment, ['content']), shortenText),
    changeValue(parts, findAt(parts, file, ['content']), shortenText),
    changeValue(parts, findAt(parts, file, ['cells']), emptyList),
  ];
  const prompt = findAt(parts, attachment, ['prompt']);
  if (prompt !== undefined) shortenOutputs({ ...parts, cuts: undefined }, prompt, parts.splice);
  if (parts.cuts?.outputs === 0 && cut.some((value) => value !== undefined)) noteOutput(parts, 0);
}

function shortenRendered(parts: LineParts, key: string): void {
  const rendered = findMember(parts.top, key);
  if (rendered === undefined || !isArrayAt(parts.line, rendered.start)) return;
  for (const { members } of listElements(parts.line, rendered.start)) {
    const content = findMember(members, 'content');
    if (content !== undefined) shortenOutputs(parts, content, parts.splice);
  }
}

/** A member of a member; undefined where there is none. */
function findAt(
  { line }: LineParts,
  from: MemberSpan | undefined,
  keys: readonly string[],
): MemberSpan | undefined {
  let at = from;
  for (const key of keys) {
    if (at === undefined || !isObjectAt(line, at.start)) return undefined;
    at = findMember(listMembers(line, at.start), key);
  }
  return at;
}

function shortenText(value: unknown): unknown {
  return typeof value === 'string' ? truncateToolResult(value) : value;
}

/** The cells of a notebook. */
function emptyList(value: unknown): unknown {
  const isLong = Array.isArray(value) && JSON.stringify(value).length > TRUNCATION_LIMITS.maxChars;
  return isLong ? [] : value;
}
