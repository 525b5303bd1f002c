import { activePath, type Transcript } from '@openbot/sessions';
import { contextOf, extractSpokenText, FLAG } from '@openbot/sessions/transcript';
import { boundText } from './bounded-text.ts';
import { toIsoTime } from './iso-time.ts';

/** What somebody said, as it is handed on. */
export interface SpokenMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** ISO 8601; left out where the line does not tell. */
  readonly at?: string;
  /** True where the text goes on. */
  readonly isCut: boolean;
}

export interface LastMessages {
  /** Oldest first. */
  readonly messages: readonly SpokenMessage[];
  /** How many there are besides: those before these, and those that are too long to be read. */
  readonly leftOut: number;
}

export const MAX_MESSAGE_TEXT = 4000;
/** A longer line holds images rather than words. */
const MAX_LINE = 4 * 1024 * 1024;
/** So much is read in search of messages; what lies before is left out. */
const MAX_READ = 64 * 1024 * 1024;
const UNSPOKEN = FLAG.meta | FLAG.compactSummary | FLAG.failed | FLAG.sidechain;

/** Indices of what people and the assistant said on the active path, oldest first. */
export function listSpoken(transcript: Transcript): number[] {
  const path = activePath(transcript).entries;
  const { takenOut, edits } = contextOf(transcript, path);
  const hidden = new Set([...takenOut, ...edits.keys()]);
  // A reset begins anew; a compaction only shortens what the model reads.
  const start = path.findLastIndex((index) => transcript.kindOf(index) === 'reset') + 1;
  return path.slice(start).filter((index) => {
    const role = transcript.roleOf(index);
    if (transcript.kindOf(index) !== 'message' || (role !== 'user' && role !== 'assistant')) return false;
    return (
      (transcript.flagsOf(index) & UNSPOKEN) === 0 && transcript.textSizeOf(index) > 0 && !hidden.has(index)
    );
  });
}

/**
 * The last messages, from the end on. It yields the index of a line that it needs and is given its bytes: some who have lines
 * must wait for them and some must not, and one line at a time is held.
 * @param indices from `listSpoken`; no more lines are read than are needed
 */
export function* pickLastMessages(
  transcript: Transcript,
  indices: readonly number[],
  limit: number,
): Generator<number, LastMessages, Buffer> {
  const messages: SpokenMessage[] = [];
  let at = indices.length;
  let tooLong = 0;
  let read = 0;
  while (at > 0 && messages.length < limit && read < MAX_READ) {
    const index = indices[--at]!;
    const size = transcript.endOf(index) - transcript.startOf(index);
    if (size > MAX_LINE) {
      tooLong++;
      continue;
    }
    read += size;
    const message = readMessage(yield index);
    if (message !== undefined) messages.unshift(message);
  }
  return { messages, leftOut: at + tooLong };
}

function readMessage(bytes: Buffer): SpokenMessage | undefined {
  let line: unknown;
  try {
    line = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  const spoken = extractSpokenText(line);
  if (spoken === undefined) return undefined;
  const text = boundText(spoken.text, MAX_MESSAGE_TEXT);
  const at = readTime(line as { timestamp?: unknown; message?: { timestamp?: unknown } });
  const isCut = [...spoken.text.slice(0, 2 * MAX_MESSAGE_TEXT + 2)].length > MAX_MESSAGE_TEXT;
  return { role: spoken.role, text, at, isCut };
}

function readTime(line: { timestamp?: unknown; message?: { timestamp?: unknown } }): string | undefined {
  return toIsoTime(line.timestamp) ?? toIsoTime(line.message?.timestamp);
}
