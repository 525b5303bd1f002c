import type { Transcript } from '@openbot/sessions';
import { type Context, FLAG, modelMessagesOf } from '@openbot/sessions/transcript';
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
  staleFrom: number | undefined,
): number[] {
  if (!transcript.hasFlag(FLAG.thinking)) return [];
  const entries = readOrder(transcript, context);
  const isChanged = (index: number) =>
    lines.isRemoved(index) || (!context.edits.has(index) && lines.isReadOtherwise(index));
  const first = entries.findIndex((index) => index === staleFrom || isChanged(index));
  if (first < 0) return [];
  const index = entries[first]!;
  const staysFirst = index !== staleFrom && thinksBeforeCuts(transcript, index);
  return entries.slice(staysFirst ? first + 1 : first).filter((entry) => {
    return !context.edits.has(entry) && lines.keepsThinking(entry);
  });
}

/** The entries of the context in the order in which a provider reads them: the lines of one message together. */
function readOrder(transcript: Transcript, context: Pick<Context, 'entries' | 'edits'>): number[] {
  return modelMessagesOf(transcript, context).flatMap(({ entries }) => entries);
}

/** Whether the thinking of an entry still counts where the entry is the first one that is read otherwise. */
export function thinksBeforeCuts(transcript: Transcript, index: number): boolean {
  return !transcript.has(index, FLAG.thinksBehindCall);
}
