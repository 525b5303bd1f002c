import { activePath, type Transcript } from '@openbot/sessions';
import { type Context, contextOf, FLAG, modelMessagesOf } from '@openbot/sessions/transcript';
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
  const first = findFirstChange(entries, context, lines, staleFrom);
  if (first < 0) return [];
  const index = entries[first]!;
  const staysFirst = index !== staleFrom && thinksBeforeCuts(transcript, index);
  return entries.slice(staysFirst ? first + 1 : first).filter((entry) => {
    return !context.edits.has(entry) && lines.keepsThinking(entry);
  });
}

/**
 * The same of other branches, one after the other: what goes of one changes what follows it.
 * @param lines all that was planned, what goes from the path too
 */
export function* findUnboundBeside(
  transcript: Transcript,
  path: readonly number[],
  lines: PlannedLines,
  staleFrom: number | undefined,
): Generator<number> {
  const onPath = new Set(path);
  const known = new Map<number, boolean>();
  const isChangedUpTo = (index: number): boolean => {
    let isChanged = known.get(index);
    if (isChanged === undefined) {
      const context = contextOf(transcript, activePath(transcript, index).entries);
      isChanged = findFirstChange(context.entries, context, lines, staleFrom) >= 0;
      known.set(index, isChanged);
    }
    return isChanged;
  };
  /** By index of an entry beside the path: where the context before it begins to be its branch's own. */
  const begins = new Map<number, number>();
  for (let i = 0, length = transcript.length; i < length; i++) {
    if (onPath.has(i) || transcript.has(i, FLAG.duplicate | FLAG.sidechain)) continue;
    const parent = transcript.parentOf(i);
    const kind = parent < 0 ? undefined : transcript.kindOf(parent);
    const isBegin = onPath.has(parent) || kind === 'compaction' || kind === 'reset';
    const begin = isBegin ? parent : begins.get(parent);
    if (begin === undefined) continue;
    begins.set(i, begin);
    const isBound = transcript.has(i, FLAG.thinking) && transcript.has(i, FLAG.boundModel);
    if (isBound && lines.keepsThinking(i) && isChangedUpTo(begin)) yield i;
  }
}

/**
 * Of some entries those that can go without any thinking losing what it is bound to: what follows them up to the first
 * change holds no thinking. Behind that change none counts anyway.
 */
export function findWithoutThinkingBehind(
  transcript: Transcript,
  context: Context,
  lines: PlannedLines,
  staleFrom: number | undefined,
  candidates: readonly number[],
): number[] {
  if (candidates.length === 0 || !transcript.hasFlag(FLAG.thinking)) return [...candidates];
  const entries = readOrder(transcript, context);
  const gone = new Set(findUnboundThinking(transcript, context, lines, staleFrom));
  const last = entries.findLastIndex((entry) => {
    return !gone.has(entry) && !context.edits.has(entry) && lines.keepsThinking(entry);
  });
  const before = new Set(entries.slice(0, last + 1));
  return candidates.filter((entry) => !before.has(entry));
}

/** The place of the first entry that the model will read otherwise; -1 where there is none. */
function findFirstChange(
  entries: readonly number[],
  { edits }: Pick<Context, 'edits'>,
  lines: PlannedLines,
  staleFrom: number | undefined,
): number {
  const isChanged = (index: number) =>
    lines.isRemoved(index) || (!edits.has(index) && lines.isReadOtherwise(index));
  return entries.findIndex((index) => index === staleFrom || isChanged(index));
}

/** The entries of the context in the order in which a provider reads them: the lines of one message together. */
function readOrder(transcript: Transcript, context: Pick<Context, 'entries' | 'edits'>): number[] {
  return modelMessagesOf(transcript, context).flatMap(({ entries }) => entries);
}

/** Whether the thinking of an entry still counts where the entry is the first one that is read otherwise. */
export function thinksBeforeCuts(transcript: Transcript, index: number): boolean {
  return !transcript.has(index, FLAG.thinksBehindCall);
}
