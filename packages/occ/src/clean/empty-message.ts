import type { Transcript } from '@openbot/sessions';
import {
  findMember,
  isArrayAt,
  isStringAt,
  listElements,
  listMembers,
  skipSpace,
} from '@openbot/sessions/rewrite';
import { FLAG } from '@openbot/sessions/transcript';
import type { LineEdit } from './line-edit.ts';
import type { LineReader } from './plan.ts';
import { rewriteLine } from './rewrite-line.ts';

/** Whether the message of a line is empty: no blocks, or only blank text. */
export function isNothingLeft(line: string): boolean {
  const top = listMembers(line, skipSpace(line, 0), 'message');
  const members = findMember(top, 'message')?.members ?? top;
  const content = findMember(members, 'content');
  if (content === undefined) return false;
  if (isStringAt(line, content.start)) return isBlank(line.slice(content.start, content.end));
  if (!isArrayAt(line, content.start)) return false;
  return listElements(line, content.start).every(({ members: block }) => {
    const type = findMember(block, 'type');
    const text = findMember(block, 'text');
    return (
      type !== undefined &&
      JSON.parse(line.slice(type.start, type.end)) === 'text' &&
      text !== undefined &&
      isBlank(line.slice(text.start, text.end))
    );
  });
}

function isBlank(json: string): boolean {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' && value.trim() === '';
}

/** Removes calls, results and thinking from a line. */
export const STRIPPED: LineEdit = { calls: 'remove', results: 'remove', dropThinking: true };
/** Removes thinking alone. */
export const THOUGHTLESS: LineEdit = { dropThinking: 'alone' };

/** A text up to this length may be blank; agents put such texts before calls. */
export const LONGEST_BLANK = 32;

/** Whether the message of a line would be empty without its calls, its results and its thinking, or what else an edit removes. */
export function isLeftWithNothing(
  transcript: Transcript,
  index: number,
  readLine: LineReader,
  edit = STRIPPED,
): boolean {
  // A result of OpenClaw's or pi's is the whole message.
  if (transcript.dialect !== 'claude-code' && transcript.roleOf(index) === 'toolResult') return true;
  const text = transcript.textSizeOf(index);
  if (text > LONGEST_BLANK) return false;
  const hasImages = transcript.resultCountOf(index) === 0 && transcript.imageCountOf(index) > 0;
  if (text === 0 && !hasImages && !transcript.has(index, FLAG.otherContent)) return true;
  const dialect = transcript.dialect ?? 'openclaw';
  return isNothingLeft(rewriteLine(readLine(index), edit, dialect));
}
