import { BINDING_MODEL } from '../arbitraries/models.ts';
import type { RemovalOptions } from '../arbitraries/removal-options.ts';
import { type ExpectedLine, expectGone } from './expect-gone.ts';
import { findUnfinished } from './find-unfinished.ts';
import { type OracleCall, pairCalls } from './pair-calls.ts';
import { type Json, type OracleDialect, type OracleLine, readLine } from './read-line.ts';
import { holdsPlace, tiedCalls } from './tied-calls.ts';
import { expectThinking } from './turn-thinking.ts';
import { cutTurns, type OraclePath, walkPath } from './walk-path.ts';

export type Action = 'keep' | 'truncate' | 'remove';

export interface ExpectedClean {
  readonly lines: readonly OracleLine[];
  readonly path: OraclePath;
  readonly expected: readonly ExpectedLine[];
  readonly turns: { total: number; withTools: number; removed: number; truncated: number };
  /** Every call on the path, with what answers it. */
  readonly calls: readonly OracleCall[];
  readonly unfinished: ReadonlySet<OracleCall>;
  readonly tied: ReadonlySet<OracleCall>;
}

/**
 * The rules of cleaning, one after the other, on parsed lines.
 * @param after what became of each line, for the few questions that are judged elsewhere
 */
export function expectClean(
  texts: readonly string[],
  dialect: OracleDialect,
  options: RemovalOptions,
  after: readonly (string | undefined)[],
): ExpectedClean {
  const lines = texts.map((text, index) => readLine(text, index, dialect));
  const path = walkPath(lines, dialect);
  const calls = pairCalls(path.lines);
  const { unfinished, openFrom } = findUnfinished(path, calls);

  const turns = cutTurns(path.lines);
  const withTools = turns.filter((turn) => turn.calls > 0);
  const kept = Math.min(withTools.length, options.keepTurnsWithTools);
  const removed = withTools.length - kept;
  const truncated = Math.floor((kept * options.truncatePercent) / 100);
  const firstKept = withTools[removed]?.lines[0]?.index ?? Number.POSITIVE_INFINITY;
  const firstWhole = withTools[removed + truncated]?.lines[0]?.index ?? Number.POSITIVE_INFINITY;
  const zoneOf = ({ index }: OracleLine): Action =>
    index < firstKept ? 'remove' : index < firstWhole ? 'truncate' : 'keep';

  const { calls: tied, messages: tiedMessages } = tiedCalls(lines, path, calls, zoneOf);
  // Lines of one message may have their place through each other.
  const staying = new Set([...unfinished].map(({ line }) => line.messageId).filter((id) => id !== undefined));
  for (const call of calls) if (staying.has(call.line.messageId!)) tied.add(call);
  const firstAction = (call: OracleCall): Action => {
    if (unfinished.has(call)) return 'keep';
    const zone = zoneOf(call.line);
    return zone === 'remove' && tied.has(call) ? 'truncate' : zone;
  };
  const isBound = path.lines.some((line) => modelOf(line) === BINDING_MODEL);
  const rules = { path, lines, turns, calls, openFrom, after, tiedMessages, isBound, zoneOf };
  const { actionOf, losers: withoutThinking, unbound } = expectThinking(rules, firstAction);
  for (const call of calls) if (actionOf(call) !== firstAction(call)) tied.add(call);
  const callAt = (line: OracleLine, order: number) =>
    calls.find((call) => call.line === line && call.order === order)!;
  const callOfResult = (line: OracleLine, order: number) =>
    calls.find(({ results }) => results.some((result) => result.line === line && result.order === order));
  const onPath = new Set(path.lines);
  // A call on another branch may be answered by a result that stands before the fork.
  const isNeededElsewhere = (id: unknown) =>
    lines.some((line) => !onPath.has(line) && line.calls.some((call) => call.id === id));
  // Where no line names a parent, the call of a result is nowhere, unless it is in a line before it that cannot be read.
  const hasBranches =
    dialect !== 'openclaw' ||
    lines.some(({ id, value }) => id !== undefined && value?.parentId !== undefined);
  const firstBroken = lines.findIndex(
    ({ value }, index) => value === undefined && !/^[ \t\r]*$/.test(texts[index]!),
  );
  const isLost = ({ index }: OracleLine) => !hasBranches && (firstBroken < 0 || index < firstBroken);
  const losers = new Set(withoutThinking);
  const planned = lines.map((line) => {
    if (!onPath.has(line)) return { line, calls: [], results: [] };
    const ownCalls = line.calls.map((_, order) => actionOf(callAt(line, order)));
    if (ownCalls.includes('remove')) losers.add(line.messageId ?? line);
    return {
      line,
      calls: ownCalls,
      results: line.results.map((_, order): Action => {
        const call = callOfResult(line, order);
        if (call !== undefined) return actionOf(call);
        const isOpen = line.index > openFrom || line === path.leaf;
        if (isOpen || isNeededElsewhere(line.results[order])) return 'keep';
        // It may part words from thinking that stays: merged-form.property.test.ts judges where.
        const action = isLost(line) ? 'remove' : zoneOf(line);
        const isThere = readLine(after[line.index] ?? '', line.index, dialect).results.length > 0;
        const mayStay = isThere && path.lines.some(({ thinking }) => thinking > 0);
        if (action !== 'remove' || !mayStay) return action;
        return zoneOf(line) === 'keep' ? 'keep' : 'truncate';
      }),
    };
  });
  const isHeld = holdsPlace(lines, path, planned);
  // Lines of other branches lose thinking at most.
  const isPlace = (line: OracleLine) =>
    isBound && (tiedMessages.has(line.messageId!) || isHeld(line) || !onPath.has(line));
  const expected = expectGone(planned, { losers, unbound, isPlace }, { path, lines, dialect });
  return {
    lines,
    path,
    expected,
    calls,
    unfinished,
    tied,
    turns: { total: turns.length, withTools: withTools.length, removed, truncated },
  };
}

function modelOf({ value }: OracleLine): unknown {
  return (value?.message as Json | undefined)?.model ?? value?.model ?? value?.modelId;
}
