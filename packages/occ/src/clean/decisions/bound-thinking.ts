import type { Transcript } from '@openbot/sessions';
import { fromByteText } from '@openbot/sessions/rewrite';
import { type Context, FLAG, modelMessagesOf } from '@openbot/sessions/transcript';
import { isThinking } from '../lines/rewrite-openclaw.ts';
import type { LineReader } from '../plan.ts';
import type { PlannedLines } from './planned-lines.ts';

/**
 * Entries whose thinking no longer counts because it is bound to what was said before it: all that hold thinking behind the
 * first one that the model will read otherwise.
 * @param lines all that was planned before
 * @param staleFrom an entry from which on thinking does not count already
 */
export function findUnboundThinking(
  transcript: Transcript,
  context: Context,
  lines: PlannedLines,
  readLine: LineReader,
  staleFrom: number | undefined,
): number[] {
  if (!transcript.hasFlag(FLAG.thinking)) return [];
  const entries = readOrder(transcript, context);
  const isChanged = (index: number) =>
    lines.isRemoved(index) || (!context.edits.has(index) && lines.isReadOtherwise(index));
  const first = entries.findIndex((index) => index === staleFrom || isChanged(index));
  if (first < 0) return [];
  const index = entries[first]!;
  // What the first changed entry thinks before the change still counts.
  const staysFirst = index !== staleFrom && !thinksBehindCut(transcript, index, lines, readLine);
  return entries.slice(staysFirst ? first + 1 : first).filter((entry) => {
    return !context.edits.has(entry) && lines.keepsThinking(entry);
  });
}

/** The entries of the context in the order in which a provider reads them: the lines of one message together. */
function readOrder(transcript: Transcript, context: Pick<Context, 'entries' | 'edits'>): number[] {
  return modelMessagesOf(transcript, context).flatMap(({ entries }) => entries);
}

/** Whether thinking of an entry follows a call that is cut. */
function thinksBehindCut(
  transcript: Transcript,
  index: number,
  lines: PlannedLines,
  readLine: LineReader,
): boolean {
  const cut = lines.cutCallsOf(index);
  if (cut.length === 0 || !lines.keepsThinking(index)) return false;
  if (transcript.thinkingCountOf(index) === 1 && transcript.has(index, FLAG.beginsWithThinking)) return false;
  const { message, content = message?.content } = JSON.parse(fromByteText(readLine(index))) as {
    message?: { content?: unknown };
    content?: unknown;
  };
  if (!Array.isArray(content)) return false;
  const types = content.map((block: { type?: string } | null) => block?.type ?? '');
  const calls = types.flatMap((type, place) => (CALLS.has(type) ? [place] : []));
  return types.findLastIndex(isThinking) > calls[Math.min(...cut)]!;
}

const CALLS = new Set(['toolCall', 'toolUse', 'functionCall', 'tool_use', 'server_tool_use']);
