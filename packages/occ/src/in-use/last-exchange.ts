import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { activePath, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import {
  FLAG,
  findNewestModel,
  hasBoundThinking,
  LineSplitter,
  leafOf,
  TranscriptBuilder,
} from '@openbot/sessions/transcript';

/** The state of the last exchange of a conversation. */
type LastExchange =
  /** The assistant gave its answer, or there are no messages. */
  | 'finished'
  /**
   * A call without a result, a result without an answer, or a person's text without one; and thinking alone, where it is
   * bound to what was said before it.
   */
  | 'unfinished'
  /** The entries that would show it are missing. Only for the tail of a transcript. */
  | 'unknown';

const FIRST_TAIL = 256 * 1024;
const LONGEST_TAIL = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface ReadExchange {
  readonly exchange: LastExchange;
  /** Whether thinking is bound to what was said before it. */
  readonly isBound: boolean;
}

/** Reads the end of the file, or all of it if the end does not show the state. */
export async function readLastExchange(path: string): Promise<ReadExchange> {
  for (let bytes = FIRST_TAIL; bytes <= LONGEST_TAIL; bytes *= 8) {
    const tail = readTail(path, bytes);
    const transcript = scanTail(tail.bytes);
    // Lines outside the conversation do not show its state.
    const exchange = transcript.lastInTree < 0 ? 'unknown' : judgeLastExchange(transcript);
    const namesModel = findNewestModel(transcript, activePath(transcript).entries) !== undefined;
    if (tail.isWhole || exchange === 'finished' || (exchange === 'unfinished' && namesModel)) {
      return {
        exchange: exchange === 'unknown' ? 'finished' : exchange,
        isBound: isBoundSession(transcript),
      };
    }
  }
  const transcript = await scanTranscriptFile(path);
  return { exchange: judgeLastExchange(transcript), isBound: isBoundSession(transcript) };
}

export function isBoundSession(transcript: Transcript): boolean {
  return transcript.hasFlag(FLAG.boundModel) && hasBoundThinking(transcript, activePath(transcript).entries);
}

function scanTail(bytes: Buffer): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  return builder.finish(splitter.offset);
}

/** Whole lines: a line that begins before the tail is left out. */
function readTail(path: string, length: number): { bytes: Buffer; isWhole: boolean } {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - length);
    const bytes = Buffer.allocUnsafe(size - start);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    const read = bytes.subarray(0, filled);
    if (start === 0) return { bytes: read, isWhole: true };
    const lineEnd = read.indexOf(LINE_FEED);
    return { bytes: lineEnd < 0 ? read.subarray(0, 0) : read.subarray(lineEnd + 1), isWhole: false };
  } finally {
    closeSync(fd);
  }
}

/** Looks at the last message on the active path only. */
export function judgeLastExchange(transcript: Transcript): LastExchange {
  const last = findLastMessage(transcript);
  if (last < 0) return last === MISSING ? 'unknown' : 'finished';
  switch (transcript.roleOf(last)) {
    case 'toolResult':
      return 'unfinished';
    case 'user':
      return isAnswered(transcript, last) ? 'unfinished' : 'finished';
    default:
      return hasOpenCall(transcript, last) || isOpenThought(transcript, last) ? 'unfinished' : 'finished';
  }
}

const NONE = -1;
const MISSING = -2;

function findLastMessage(transcript: Transcript): number {
  let at = leafOf(transcript);
  // Parents that form a ring would never end.
  for (let steps = 0; at >= 0 && steps <= transcript.length; steps++) {
    if (transcript.kindOf(at) === 'reset') return NONE;
    if (isPartOfExchange(transcript, at)) return at;
    at = transcript.parentOf(at);
  }
  return at === NONE ? NONE : MISSING;
}

function isPartOfExchange(transcript: Transcript, index: number): boolean {
  if (transcript.kindOf(index) !== 'message') return false;
  switch (transcript.roleOf(index)) {
    case 'toolResult':
      return true;
    case 'assistant':
      return !transcript.has(index, FLAG.mirror);
    case 'user':
      return isAnswered(transcript, index);
    default:
      return false;
  }
}

/** Reminders and the output of a person's own commands get no answer of the model. */
function isAnswered(transcript: Transcript, index: number): boolean {
  return transcript.resultCountOf(index) > 0 || transcript.has(index, FLAG.startsTurn | FLAG.systemPart);
}

function hasOpenCall(transcript: Transcript, last: number): boolean {
  const open = new Set<string>();
  const message = transcript.messageOf(last);
  let first = last;
  for (let i = last; i >= 0; i--) {
    // One message may be several lines, with results of its first calls between them.
    if (i !== last && (message < 0 || transcript.messageOf(i) !== message)) {
      if (message < 0 || transcript.roleOf(i) === 'assistant' || transcript.has(i, FLAG.startsTurn)) break;
      continue;
    }
    first = i;
    for (const call of transcript.callsOf(i)) open.add(call.id);
  }
  for (let i = first; i < transcript.length && open.size > 0; i++) {
    for (const result of transcript.resultsOf(i)) open.delete(result.callId);
  }
  return open.size > 0;
}

/** Whether a message is thinking alone, which the next one has to follow. */
function isOpenThought(transcript: Transcript, last: number): boolean {
  const message = transcript.messageOf(last);
  for (let i = last; i >= 0; i--) {
    if (i !== last && (message < 0 || transcript.messageOf(i) !== message)) break;
    const says = transcript.textSizeOf(i) + transcript.callCountOf(i) > 0;
    if (says || transcript.has(i, FLAG.otherContent | FLAG.failed)) return false;
  }
  return transcript.has(last, FLAG.thinking) && isBoundSession(transcript);
}
