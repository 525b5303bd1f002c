import { activePath, type Transcript, turnsOf } from '@openbot/sessions';
import { planLoweredUsage, planRelinking, relinkedFieldsOf } from '@openbot/sessions/rewrite';
import {
  type Calibration,
  type Context,
  contextOf,
  FLAG,
  measureContext,
} from '@openbot/sessions/transcript';
import { type CallActions, chooseActions, KEEP, REMOVE } from './call-actions.ts';
import { findLargeCalls, type LargeCalls } from './large-calls.ts';
import type { LineEdit } from './line-edit.ts';
import { findMisplacedThinking } from './misplaced-thinking.ts';
import { countLonely, NO_CALL, type PairedCalls, pairCalls } from './pair-calls.ts';
import type { CleanPlan, LineReader } from './plan.ts';
import { countMessages } from './plan-statistics.ts';
import { planTokens } from './plan-tokens.ts';
import { PlannedLines } from './planned-lines.ts';
import { LARGE_CHARACTERS, type ResolvedToolRemovalOptions, TRUNCATION_LIMITS } from './tool-removal.ts';
import { TurnThinking } from './turn-thinking.ts';
import { type TurnZones, zoneTurns } from './turn-zones.ts';

/**
 * Decides what a clean does to each line. docs/cleaning.md gives the rules.
 * @param readLine is asked for the few lines whose text decides: those to be shortened, and doubtful remains
 */
export function planClean(
  transcript: Transcript,
  options: ResolvedToolRemovalOptions,
  readLine: LineReader,
): CleanPlan {
  const path = activePath(transcript).entries;
  const pairs = pairCalls(transcript, path);
  const turns = turnsOf(transcript, path);
  const zones = zoneTurns(turns, options);
  const context = contextOf(transcript, path);
  const over = options.truncateOver;
  const large = findLargeCalls(transcript, path, pairs, over ?? LARGE_CHARACTERS);
  const actions = chooseActions(transcript, path, pairs, zones, over === undefined ? new Map() : large);
  const thinking = new TurnThinking(transcript, path, turns, context, pairs, actions, readLine);
  thinking.keepFirst();
  const lines = planLines(transcript, path, pairs, actions, thinking, readLine);
  planOutputs(transcript, path, zones, over ?? Number.POSITIVE_INFINITY, lines);
  // What nothing else changes stays as it is, so that cleaning twice is cleaning once.
  if (lines.changes) {
    const misplaced = findMisplacedThinking(transcript, path, context, zones, thinking, lines);
    for (const index of misplaced) lines.dropThinking(index);
    if (misplaced.length > 0) lines.planRestOfMessages(path);
  }

  const { changes } = lines;
  const isRemoved = (index: number) => lines.isRemoved(index);
  const size = measureContext(transcript, context);
  const charactersOf = charactersAfter(context, lines);
  // Only who writes needs these.
  const lowered = once(() => planLoweredUsage(transcript, context, size.calibration, charactersOf));
  const relinking = once(() => planRelinking(transcript, isRemoved));

  return {
    options,
    changes,
    isRemoved,
    editOf(index): LineEdit | undefined {
      if (!changes) return undefined;
      const edit = lines.editOf(index);
      const fields = relinkedFieldsOf(transcript, relinking(), index, isRemoved);
      const contextTokens = lowered()?.indices.includes(index) ? lowered()?.tokens : undefined;
      if (fields === undefined && contextTokens === undefined) return edit;
      return {
        ...edit,
        fields,
        contextTokens,
      };
    },
    tokens: planTokens(transcript, context, size, charactersOf, changes),
    calibration: size.calibration,
    lonely: countLonely(pairs),
    large: weighLarge(large, actions, size.calibration),
    statistics: {
      ...countMessages(transcript, path, isRemoved),
      ...countCalls(pairs, actions, lines),
      toolOutputsTruncated: countOutputs(lines),
      turnsTotal: zones.total,
      turnsWithToolsTotal: zones.withTools,
      turnsWithToolsRemoved: zones.removed,
      turnsWithToolsTruncated: zones.truncated,
      turnsWithToolsPreserved: zones.preserved,
    },
  };
}

function planLines(
  transcript: Transcript,
  path: readonly number[],
  { firstCallAt, firstResultAt, callOfResult }: PairedCalls,
  { ofCall, orphanAt }: CallActions,
  thinking: TurnThinking,
  readLine: LineReader,
): PlannedLines {
  const lines = new PlannedLines(transcript, readLine);
  for (let position = 0; position < path.length; position++) {
    const calls = firstCallAt[position + 1]! - firstCallAt[position]!;
    const results = firstResultAt[position + 1]! - firstResultAt[position]!;
    if (calls + results === 0) continue;
    const index = path[position]!;
    const first = firstCallAt[position]!;
    const callActions = ofCall.subarray(first, first + calls);
    const resultActions = new Uint8Array(results);
    for (let order = 0; order < results; order++) {
      const call = callOfResult[firstResultAt[position]! + order]!;
      resultActions[order] = call === NO_CALL ? orphanAt(position, index, order) : ofCall[call]!;
    }
    lines.plan(index, position, callActions, resultActions);
  }
  for (const index of thinking.goes()) lines.dropThinking(index);
  lines.planRestOfMessages(path);
  lines.planDuplicates();
  return lines;
}

/** Output that no answer of the assistant has followed yet is still to be read. */
function planOutputs(
  transcript: Transcript,
  path: readonly number[],
  zones: TurnZones,
  over: number,
  lines: PlannedLines,
): void {
  let position = path.findLastIndex((index) => transcript.roleOf(index) === 'assistant');
  for (; position >= 0; position--) {
    const index = path[position]!;
    if (!transcript.has(index, FLAG.toolOutput)) continue;
    if (zones.actionAt(position) === 'keep' && transcript.textSizeOf(index) <= over) continue;
    lines.planOutput(index, position);
  }
}

/** What large calls that stay whole weigh beyond what shortening would leave of them. */
function weighLarge(
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

function countOutputs(lines: PlannedLines): number {
  let count = 0;
  for (const { cuts } of lines.shortened()) count += cuts.outputs;
  return count;
}

/** What entries will weigh in the context. One whose content an edit of the agent's replaced weighs what that says. */
function charactersAfter(
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

function countCalls(
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

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
