import type { Transcript } from '@openbot/sessions';
import {
  type Calibration,
  type Context,
  type ContextSize,
  contextCharacters,
  estimateTokens,
} from '@openbot/sessions/transcript';
import { type CallActions, KEEP, type LargeCalls, REMOVE } from './decisions/call-actions.ts';
import type { PlannedLines } from './decisions/planned-lines.ts';
import { NO_CALL, type PairedCalls } from './pair-calls.ts';
import type { CleanPlan, PlanTokens } from './plan.ts';
import { TRUNCATION_LIMITS } from './tool-removal.ts';

/** Messages on a path, before and after; the lines of one message count once. */
export function countMessages(
  transcript: Transcript,
  path: readonly number[],
  isRemoved: (index: number) => boolean,
): { messagesOriginal: number; messagesAfter: number } {
  const before = new Set<number>();
  const after = new Set<number>();
  let single = 0;
  let singleAfter = 0;
  for (const index of path) {
    if (transcript.kindOf(index) !== 'message') continue;
    const message = transcript.messageOf(index);
    if (message < 0) {
      single++;
      if (!isRemoved(index)) singleAfter++;
      continue;
    }
    before.add(message);
    if (!isRemoved(index)) after.add(message);
  }
  return { messagesOriginal: single + before.size, messagesAfter: singleAfter + after.size };
}

/** The size of the context before and after. The basis says whether a provider recorded it. */
export function planTokens(
  transcript: Transcript,
  context: Context,
  size: ContextSize,
  charactersOf: (index: number, now: number) => number | undefined,
  changes: boolean,
): PlanTokens {
  const { tokens: before, basis, calibration } = size;
  if (!changes) return { before, after: before, basis };
  let characters = 0;
  for (const index of context.entries) {
    characters += charactersOf(index, contextCharacters(transcript, index, context)) ?? 0;
  }
  return {
    before,
    after: Math.min(before, estimateTokens(calibration, characters)),
    basis: calibration.basis,
  };
}

/** What shortening the large calls that stay whole would free. */
export function weighLarge(
  large: LargeCalls,
  { ofCall }: CallActions,
  calibration: Calibration,
): CleanPlan['large'] {
  let calls = 0;
  let characters = 0;
  for (const [call, size] of large) {
    if (ofCall[call] !== KEEP) continue;
    calls++;
    characters += size - TRUNCATION_LIMITS.maxChars;
  }
  return { calls, tokens: Math.round(characters * calibration.perCharacter) };
}

export function countOutputs(lines: PlannedLines): number {
  let count = 0;
  for (const { cuts } of lines.shortened()) count += cuts.outputs;
  return count;
}

/** Results without a call that go. */
export function countOrphans(
  path: readonly number[],
  { firstResultAt, callOfResult }: PairedCalls,
  lines: PlannedLines,
): number {
  let count = 0;
  if (!lines.changes || !callOfResult.includes(NO_CALL)) return count;
  for (let position = 0; position < path.length; position++) {
    const results = callOfResult.subarray(firstResultAt[position]!, firstResultAt[position + 1]!);
    for (let order = 0; order < results.length; order++)
      if (results[order] === NO_CALL && lines.losesResult(path[position]!, order)) count++;
  }
  return count;
}

/** Blocks of thinking that go: those of some entries. */
export function countThinking(
  transcript: Transcript,
  entries: readonly number[],
  lines: PlannedLines,
): number {
  let count = 0;
  if (!lines.changes) return count;
  for (const index of entries) if (!lines.keepsThinking(index)) count += transcript.thinkingCountOf(index);
  return count;
}

/** The characters of an entry in the context after the clean. An entry that the agent's edit replaced keeps its size. */
export function charactersAfter(
  context: Context,
  lines: PlannedLines,
): (index: number, now: number) => number | undefined {
  const hasEdits = context.edits.size > 0;
  return (index, now) => {
    if (lines.isRemoved(index)) return undefined;
    if (hasEdits && context.edits.has(index)) return now;
    const saved = lines.savedBy(index);
    return saved < now ? now - saved : 0;
  };
}

export function countCalls(
  { firstCallAt, firstResultAt, callOfResult }: PairedCalls,
  { ofCall }: CallActions,
  lines: PlannedLines,
) {
  const cut = new Set<number>();
  for (const { position, cuts } of lines.shortened()) {
    for (const order of cuts.calls.keys()) cut.add(firstCallAt[position]! + order);
    for (const order of cuts.results.keys()) cut.add(callOfResult[firstResultAt[position]! + order]!);
  }
  let removed = 0;
  let truncated = 0;
  for (let call = 0; call < ofCall.length; call++) {
    if (ofCall[call] === REMOVE) removed++;
    else if (ofCall[call] !== KEEP && cut.has(call)) truncated++;
  }
  return {
    toolCallsOriginal: ofCall.length,
    toolCallsRemoved: removed,
    toolCallsTruncated: truncated,
    toolCallsPreserved: ofCall.length - removed - truncated,
  };
}
