import {
  activePath,
  type Context,
  contextOf,
  FLAG,
  leafOf,
  planLoweredUsage,
  planRelinking,
  relinkedFieldsOf,
  type Transcript,
  turnsOf,
} from '@openbot/sessions';
import type { LineEdit, ToolAction } from './line-edit.ts';
import { NO_CALL, pairCalls } from './pair-calls.ts';
import type { CleanPlan, LineReader } from './plan.ts';
import { countMessages } from './plan-statistics.ts';
import { planTokens } from './plan-tokens.ts';
import { PlannedLines } from './planned-lines.ts';
import { findCallIdsBeside, findTiedCalls } from './tied-calls.ts';
import type { ResolvedToolRemovalOptions } from './tool-removal.ts';
import { zoneTurns } from './turn-zones.ts';
import { findUnfinishedCalls } from './unfinished-exchange.ts';

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
  const zones = zoneTurns(turnsOf(transcript, path), options);
  const unfinished = findUnfinishedCalls(transcript, path, pairs);
  const tied = findTiedCalls(transcript, path, pairs, zones);
  const actionOfCall = pairs.calls.map(({ position }, number): ToolAction => {
    if (unfinished.has(number)) return 'keep';
    const action = zones.actionAt(position);
    return action === 'remove' && tied.has(number) ? 'truncate' : action;
  });
  const leaf = leafOf(transcript);

  const lines = new PlannedLines(transcript, readLine);
  const idsBeside = findCallIdsBeside(transcript, path);
  for (const [position, index] of path.entries()) {
    const calls = pairs.callsAt.get(position)?.map((number) => actionOfCall[number]!);
    const results = pairs.answersAt.get(position)?.map((number, order): ToolAction => {
      if (number !== NO_CALL) return actionOfCall[number]!;
      const isNeeded = index === leaf || idsBeside.has(transcript.resultsOf(index)[order]!.callId);
      return isNeeded ? 'keep' : zones.actionAt(position);
    });
    if (calls !== undefined || results !== undefined) lines.plan(index, calls ?? [], results ?? []);
  }
  lines.planRestOfMessages(path);

  const isRemoved = (index: number) => lines.isRemoved(index);
  const changes = lines.changes;
  const context = contextOf(transcript, path);
  const charactersOf = charactersAfter(transcript, context, lines);
  // Only who writes needs these.
  const lowered = once(() => planLoweredUsage(transcript, context, charactersOf));
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
        ...(fields === undefined ? {} : { fields }),
        ...(contextTokens === undefined ? {} : { contextTokens }),
      };
    },
    tokens: planTokens(transcript, context, charactersOf, changes),
    statistics: {
      ...countMessages(transcript, path, isRemoved),
      ...countCalls(pairs, actionOfCall, path, lines),
      turnsTotal: zones.total,
      turnsWithToolsTotal: zones.withTools,
      turnsWithToolsRemoved: zones.removed,
      turnsWithToolsTruncated: zones.truncated,
      turnsWithToolsPreserved: zones.preserved,
    },
  };
}

/** What entries will weigh in the context. One whose content an edit of the agent's replaced weighs what that says. */
function charactersAfter(
  transcript: Transcript,
  context: Context,
  lines: PlannedLines,
): (index: number, now: number) => number | undefined {
  return (index, now) => {
    if (lines.isRemoved(index)) return undefined;
    if (context.edits.has(index) || transcript.has(index, FLAG.mirror)) return now;
    return Math.max(0, now - lines.savedBy(index));
  };
}

function countCalls(
  pairs: ReturnType<typeof pairCalls>,
  actionOfCall: readonly ToolAction[],
  path: readonly number[],
  lines: PlannedLines,
) {
  let removed = 0;
  let truncated = 0;
  const cut = new Set<number>();
  for (const [position, numbers] of pairs.callsAt) {
    for (const [order, number] of numbers.entries()) {
      if (lines.isCallCut(path[position]!, order)) cut.add(number);
    }
  }
  for (const [position, numbers] of pairs.answersAt) {
    for (const [order, number] of numbers.entries()) {
      if (number !== NO_CALL && lines.isResultCut(path[position]!, order)) cut.add(number);
    }
  }
  for (const [number, action] of actionOfCall.entries()) {
    if (action === 'remove') removed++;
    else if (cut.has(number)) truncated++;
  }
  const total = pairs.calls.length;
  return {
    toolCallsOriginal: total,
    toolCallsRemoved: removed,
    toolCallsTruncated: truncated,
    toolCallsPreserved: total - removed - truncated,
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
