import type { TranscriptMessage } from '@openbot/sessions/transcript';
import {
  END_MARK,
  JOINED_MARK,
  MEMORY_FLUSH_MARK,
  TURN_MARK,
  type TurnMark,
  type TurnTrace,
} from './contract.ts';
import { isObject, messageOfLine, parse } from './line-message.ts';

/** @param lines of a transcript, the last one first; undefined for one that is too long to be held */
export async function traceTurn(
  lines: AsyncIterable<Buffer | undefined> | Iterable<Buffer | undefined>,
  turnId: string,
): Promise<TurnTrace | undefined> {
  let isLast = true;
  let since: Buffer[] = [];
  let flushed: Buffer[] | undefined;
  for await (const line of lines) {
    if (line === undefined) continue;
    const mark = readMark(line, TURN_MARK);
    if (mark?.turnId === turnId) {
      const joined = since.flatMap((other) => readMark(other, JOINED_MARK)?.seqs ?? []);
      const abortedBy = findEnd(since, turnId);
      const inFlush = flushed && messagesOf(flushed.reverse());
      return {
        mark,
        messages: messagesOf(since.reverse()),
        ...(inFlush && { inFlush }),
        joined,
        ...(abortedBy && { abortedBy }),
        isLast,
      };
    }
    // What the agent said to a flush is no answer to the person.
    if (isFlush(line)) {
      flushed ??= since;
      since = [];
    } else if (mark === undefined) since.push(line);
    else {
      isLast = false;
      flushed = undefined;
      since = [];
    }
  }
  return undefined;
}

function readMark(line: Buffer, type: string): TurnMark | undefined {
  if (!line.includes(type)) return undefined;
  const entry = parse(line);
  if (entry?.type !== 'custom' || entry.customType !== type || !isObject(entry.data)) return undefined;
  const { turnId, attempt, messages, seqs } = entry.data;
  if (typeof turnId !== 'string') return undefined;
  return {
    turnId,
    attempt: typeof attempt === 'number' ? attempt : 1,
    messages: Array.isArray(messages) ? messages.map(String) : [],
    seqs: Array.isArray(seqs) ? seqs.map(Number) : [],
  };
}

function findEnd(lines: readonly Buffer[], turnId: string): string | undefined {
  for (const line of lines) {
    const entry = line.includes(END_MARK) ? parse(line) : undefined;
    if (entry?.type !== 'custom' || entry.customType !== END_MARK || !isObject(entry.data)) continue;
    if (entry.data.turnId === turnId) return String(entry.data.cause);
  }
  return undefined;
}

function isFlush(line: Buffer): boolean {
  if (!line.includes(MEMORY_FLUSH_MARK)) return false;
  const entry = parse(line);
  return entry?.type === 'custom' && entry.customType === MEMORY_FLUSH_MARK;
}

function messagesOf(lines: readonly Buffer[]): TranscriptMessage[] {
  return lines.flatMap((line) => {
    const message = parse(line)?.type === 'message' ? messageOfLine(line) : undefined;
    return message === undefined ? [] : [message];
  });
}
