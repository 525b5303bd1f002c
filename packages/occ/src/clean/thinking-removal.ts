import { activePath, type Transcript } from '@openbot/sessions';
import {
  findMember,
  isArrayAt,
  listElements,
  listMembers,
  planRelinking,
  relinkedFieldsOf,
  skipSpace,
} from '@openbot/sessions/rewrite';
import { FLAG, leafOf } from '@openbot/sessions/transcript';
import { isNothingLeft, THOUGHTLESS } from './empty-message.ts';
import { findPlaces } from './message-places.ts';
import type { LineChanges, LineReader } from './plan.ts';
import { messageOf, rewriteLine } from './rewrite-line.ts';

/** What is left of a transcript when lines lose their thinking and nothing else. */
export interface ThinkingRemoval extends LineChanges {
  /** How many blocks of thinking go. */
  readonly blocks: number;
}

/**
 * Lines with nothing but thinking go, and what follows them hangs from what is before them. The leaf stays, since the next
 * entry names it, and so does a line through which others of its message are part of the conversation: programs leave out a
 * message with nothing in it.
 * @param lines with thinking
 */
export function planThinkingRemoval(
  transcript: Transcript,
  lines: readonly number[],
  readLine: LineReader,
): ThinkingRemoval {
  const dialect = transcript.dialect ?? 'openclaw';
  const leaf = leafOf(transcript);
  const removed = new Set<number>();
  const isPlace = findPlaces(transcript, activePath(transcript).entries, (index) => removed.has(index));
  const edited = new Set<number>();
  let blocks = 0;
  for (const index of lines) {
    const line = readLine(index);
    blocks += thinkingOf(line).length;
    const isEmpty = isNothingLeft(rewriteLine(line, THOUGHTLESS, dialect));
    const stays = index === leaf || isPlace(index) || isRepeated(transcript, index);
    if (isEmpty && !stays) removed.add(index);
    else edited.add(index);
  }
  const isRemoved = (index: number) => removed.has(index);
  const relinking = planRelinking(transcript, isRemoved);
  return {
    blocks,
    isRemoved,
    editOf: (index) => {
      const fields = relinkedFieldsOf(transcript, relinking, index, isRemoved);
      const edit = edited.has(index) ? THOUGHTLESS : undefined;
      return fields === undefined ? edit : { ...edit, fields };
    },
  };
}

/** An earlier line would take the place of the last one with its id. */
function isRepeated(transcript: Transcript, index: number): boolean {
  if (!transcript.hasDuplicates) return false;
  const id = transcript.idNumberOf(index);
  for (let i = 0; i < index; i++) {
    if (transcript.has(i, FLAG.duplicate) && transcript.idNumberOf(i) === id) return true;
  }
  return false;
}

/** The blocks of thinking in a line, as they are there: signed, redacted and empty ones. */
export function thinkingOf(line: string): string[] {
  const message = messageOf(line, listMembers(line, skipSpace(line, 0), 'message'));
  const content = findMember(message, 'content');
  if (content === undefined || !isArrayAt(line, content.start)) return [];
  return listElements(line, content.start).flatMap(({ start, end, members }) => {
    const type = findMember(members, 'type');
    const name: unknown = type && JSON.parse(line.slice(type.start, type.end));
    return name === 'thinking' || name === 'redacted_thinking' ? [line.slice(start, end)] : [];
  });
}
