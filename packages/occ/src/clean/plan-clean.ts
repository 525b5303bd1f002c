import { activePath, type Transcript, turnsOf } from '@openbot/sessions';
import { planLoweredUsage, planRelinking, relinkedFieldsOf } from '@openbot/sessions/rewrite';
import { contextOf, FLAG, hasBoundThinking, leafOf, measureContext } from '@openbot/sessions/transcript';
import {
  findUnboundBeside,
  findUnboundThinking,
  findWithoutThinkingBehind,
} from './decisions/bound-thinking.ts';
import { type CallActions, chooseActions, findLargeCalls, REMOVE } from './decisions/call-actions.ts';
import { findMisplacedThinking } from './decisions/misplaced-thinking.ts';
import { PlannedLines } from './decisions/planned-lines.ts';
import { TurnThinking } from './decisions/turn-thinking.ts';
import type { LineEdit } from './line-edit.ts';
import { findPlaces } from './message-places.ts';
import { countLonely, NO_CALL, type PairedCalls, pairCalls } from './pair-calls.ts';
import type { CleanPlan, LineReader } from './plan.ts';
import {
  charactersAfter,
  countCalls,
  countMessages,
  countOrphans,
  countOutputs,
  countThinking,
  planTokens,
  weighLarge,
} from './plan-figures.ts';
import { LARGE_CHARACTERS, type ResolvedToolRemovalOptions } from './tool-removal.ts';
import { type TurnZones, zoneTurns } from './turn-zones.ts';

/**
 * Decides what a clean does to each line. docs/cleaning.md gives the rules.
 * @param readLine called for the few lines whose text matters: those to be shortened, and those that may become empty
 * @param staleFrom an entry of the active path: all thinking from it on goes, even where nothing else does. It counts only
 * where thinking is bound to what was said before it
 */
export function planClean(
  transcript: Transcript,
  options: ResolvedToolRemovalOptions,
  readLine: LineReader,
  staleFrom?: number,
): CleanPlan {
  const path = activePath(transcript).entries;
  const pairs = pairCalls(transcript, path);
  const turns = turnsOf(transcript, path);
  const zones = zoneTurns(turns, options);
  const context = contextOf(transcript, path);
  const over = options.truncateOver;
  const large = findLargeCalls(transcript, path, pairs, over ?? LARGE_CHARACTERS);
  const isBound = hasBoundThinking(transcript, path);
  const actions = chooseActions(
    transcript,
    path,
    pairs,
    zones,
    over === undefined ? new Map() : large,
    context,
    isBound,
  );
  const thinking = new TurnThinking(transcript, path, turns, context, pairs, actions, readLine);
  // Thinking that would come behind words goes in any case.
  if (!isBound) thinking.keepFirst();
  const leaf = leafOf(transcript);
  const places = once(() => findPlaces(transcript, path, (index) => lines.isRemoved(index)));
  const onPath = once(() => new Set(path));
  const isPlace = (index: number) => {
    if (!isBound) return false;
    if (!onPath().has(index)) return !transcript.has(index, FLAG.duplicate);
    if (index === leaf) return true;
    return actions.neededMessages.has(transcript.messageOf(index)) || places()(index);
  };
  const lines: PlannedLines = new PlannedLines(transcript, readLine, isPlace);
  // The calls of a message may stay without its thinking where that no longer counts.
  const dropThinking = (index: number) =>
    isBound ? lines.dropThinkingAlone(index) : lines.dropThinking(index);
  planLines(lines, path, pairs, actions, thinking, dropThinking);
  planOutputs(transcript, path, zones, over ?? Number.POSITIVE_INFINITY, lines);
  // Not a change by itself, so that a second clean changes nothing.
  if (lines.changes) {
    const misplaced = findMisplacedThinking(transcript, path, context, zones, thinking, lines);
    for (const index of misplaced) dropThinking(index);
    if (misplaced.length > 0) lines.planRestOfMessages(path);
  }
  if (isBound) {
    const lost = findLostResults(path, pairs, actions);
    const free = new Set(
      findWithoutThinkingBehind(
        transcript,
        context,
        lines,
        staleFrom,
        lost.map((position) => path[position]!),
      ),
    );
    for (const position of lost) {
      if (free.has(path[position]!)) lines.plan(path[position]!, position, [REMOVE], 0);
    }
    if (free.size > 0) lines.planDuplicates();
  }
  let unbound = 0;
  const beside: number[] = [];
  if (isBound && (lines.changes || staleFrom !== undefined)) {
    const drop = (index: number) => {
      unbound += transcript.thinkingCountOf(index);
      lines.dropThinkingAlone(index);
    };
    const gone = findUnboundThinking(transcript, context, lines, staleFrom);
    gone.forEach(drop);
    if (gone.length > 0) lines.planRestOfMessages(path);
    if (gone.length > 0) lines.planDuplicates();
    for (const index of findUnboundBeside(transcript, path, lines, staleFrom)) {
      beside.push(index);
      drop(index);
    }
  }

  const { changes } = lines;
  const isRemoved = (index: number) => lines.isRemoved(index);
  const size = measureContext(transcript, context);
  const charactersOf = charactersAfter(context, lines);
  // Only needed for writing.
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
      orphanedResultsRemoved: countOrphans(path, pairs, lines),
      toolOutputsTruncated: countOutputs(lines),
      thinkingRemoved: countThinking(transcript, [...path, ...beside], lines),
      thinkingUnbound: unbound,
      turnsTotal: zones.total,
      turnsWithToolsTotal: zones.withTools,
      turnsWithToolsRemoved: zones.removed,
      turnsWithToolsTruncated: zones.truncated,
      turnsWithToolsPreserved: zones.preserved,
    },
  };
}

function planLines(
  lines: PlannedLines,
  path: readonly number[],
  { firstCallAt, firstResultAt, callOfResult }: PairedCalls,
  { ofCall }: CallActions,
  thinking: TurnThinking,
  dropThinking: (index: number) => void,
): void {
  // One for all lines: most of them are removed or kept as a whole.
  const actions: number[] = [];
  for (let position = 0; position < path.length; position++) {
    const calls = firstCallAt[position + 1]! - firstCallAt[position]!;
    const results = firstResultAt[position + 1]! - firstResultAt[position]!;
    if (calls + results === 0) continue;
    const first = firstCallAt[position]!;
    actions.length = 0;
    for (let order = 0; order < calls; order++) actions.push(ofCall[first + order]!);
    for (let order = 0; order < results; order++) {
      const call = callOfResult[firstResultAt[position]! + order]!;
      actions.push(call === NO_CALL ? thinking.orphanAt(position, order) : ofCall[call]!);
    }
    lines.plan(path[position]!, position, actions, calls);
  }
  for (const index of thinking.goes()) dropThinking(index);
  lines.planRestOfMessages(path);
  lines.planDuplicates();
}

/** Positions of messages that are a result without a call, and nothing else, in a file that cannot hold the call. */
function findLostResults(
  path: readonly number[],
  { firstResultAt, callOfResult }: PairedCalls,
  { isLost }: CallActions,
): number[] {
  const positions: number[] = [];
  if (!callOfResult.includes(NO_CALL)) return positions;
  for (let position = 0; position < path.length; position++) {
    const first = firstResultAt[position]!;
    const isOne = firstResultAt[position + 1]! - first === 1;
    if (isOne && callOfResult[first] === NO_CALL && isLost(position, path[position]!, 0))
      positions.push(position);
  }
  return positions;
}

/** Output without an answer of the assistant yet is left alone: the model has not read it. */
function planOutputs(
  transcript: Transcript,
  path: readonly number[],
  zones: TurnZones,
  over: number,
  lines: PlannedLines,
): void {
  if (!transcript.hasFlag(FLAG.toolOutput)) return;
  let position = path.findLastIndex((index) => transcript.roleOf(index) === 'assistant');
  for (; position >= 0; position--) {
    const index = path[position]!;
    if (!transcript.has(index, FLAG.toolOutput)) continue;
    if (zones.actionAt(position) === 'keep' && transcript.textSizeOf(index) <= over) continue;
    lines.planOutput(index, position);
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
