import type { RemovalOptions } from '../arbitraries/removal-options.ts';
import { isCall, isThinking, type Json, type OracleDialect, type OracleLine, readLine } from './read-line.ts';
import { tiedCalls } from './tied-calls.ts';
import { cutTurns, type OraclePath, walkPath } from './walk-path.ts';

export type Action = 'keep' | 'truncate' | 'remove';

/** What the rules say becomes of a line, its links aside. */
export interface ExpectedLine {
  readonly line: OracleLine;
  /** For each call and each result of the line. */
  readonly calls: readonly Action[];
  readonly results: readonly Action[];
  /** Whether its message lost a call, so that its thinking goes. */
  readonly losesThinking: boolean;
  readonly isRemoved: boolean;
}

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

export interface OracleCall {
  readonly line: OracleLine;
  readonly order: number;
  readonly id: unknown;
  readonly results: { line: OracleLine; order: number }[];
}

/** The rules of cleaning, one after the other, on parsed lines. */
export function expectClean(
  texts: readonly string[],
  dialect: OracleDialect,
  options: RemovalOptions,
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

  const tied = tiedCalls(lines, path, calls, zoneOf);
  // Lines of one message may have their place through each other.
  const staying = new Set([...unfinished].map(({ line }) => line.messageId).filter((id) => id !== undefined));
  for (const call of calls) if (staying.has(call.line.messageId!)) tied.add(call);
  const actionOf = (call: OracleCall): Action => {
    if (unfinished.has(call)) return 'keep';
    const zone = zoneOf(call.line);
    return zone === 'remove' && tied.has(call) ? 'truncate' : zone;
  };
  const callAt = (line: OracleLine, order: number) =>
    calls.find((call) => call.line === line && call.order === order)!;
  const callOfResult = (line: OracleLine, order: number) =>
    calls.find(({ results }) => results.some((result) => result.line === line && result.order === order));
  const onPath = new Set(path.lines);
  // A call on another branch may be answered by a result that stands before the fork.
  const isNeededElsewhere = (id: unknown) =>
    lines.some((line) => !onPath.has(line) && line.calls.some((call) => call.id === id));
  const losers = new Set<unknown>();
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
        return isOpen || isNeededElsewhere(line.results[order]) ? 'keep' : zoneOf(line);
      }),
    };
  });
  const single = planned.map((plan): ExpectedLine => {
    const isLoser = losers.has(plan.line.messageId ?? plan.line);
    const losesThinking = onPath.has(plan.line) && plan.line !== path.leaf && isLoser;
    const isRemoved = plan.line !== path.leaf && isLeftWithNothing(plan, losesThinking, dialect);
    return { ...plan, losesThinking, isRemoved };
  });
  // Of a message of several lines blanks may be all that is left: they go too.
  const isBlankRest = ({ line, losesThinking }: ExpectedLine) =>
    losesThinking &&
    line.messageId !== undefined &&
    single
      .filter((one) => onPath.has(one.line) && one.line.messageId === line.messageId && !one.isRemoved)
      .every(
        (one) =>
          one.line !== path.leaf &&
          one.line.calls.length === 0 &&
          one.line.thinking === 0 &&
          saysNothing(one.line),
      );
  const gone = single.map((one) => one.isRemoved || isBlankRest(one));
  // An entry that is there twice goes twice.
  const lastOfId = (id: string | undefined) =>
    id === undefined ? -1 : lines.findLastIndex((line) => line.id === id);
  const expected = single.map((one, index) => ({
    ...one,
    isRemoved: gone[index]! || gone[lastOfId(one.line.id)] === true,
  }));
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

/** A result answers the nearest call before it with its id, or else the first one after it. */
export function pairCalls(path: readonly OracleLine[]): OracleCall[] {
  const calls = path.flatMap((line) =>
    line.calls.map(({ id }, order): OracleCall => ({ line, order, id, results: [] })),
  );
  for (const line of path) {
    for (const [order, id] of line.results.entries()) {
      const same = calls.filter((call) => call.id === id && id !== undefined);
      const call = same.findLast((one) => one.line.index < line.index) ?? same[0];
      call?.results.push({ line, order });
    }
  }
  return calls;
}

/**
 * The run in progress: when the last thing said is a result, or a call without one, the calls of the last assistant
 * message and all that were answered after it. And whatever the leaf holds.
 */
function findUnfinished(
  { leaf, lines }: OraclePath,
  calls: readonly OracleCall[],
): { unfinished: Set<OracleCall>; openFrom: number } {
  const isOf = (line: OracleLine | undefined) => (call: OracleCall) =>
    call.line === line || call.results.some((result) => result.line === line);
  const found = new Set(calls.filter(isOf(leaf)));
  const finished = { unfinished: found, openFrom: Number.POSITIVE_INFINITY };
  const last = lines.findLast((line) => line.isMessage && isSpoken(line));
  const assistant = lines.findLast(({ role }) => role === 'assistant');
  if (last === undefined || assistant === undefined || last.role === 'user') return finished;
  const { messageId } = assistant;
  const ofLast = calls.filter(
    ({ line }) => line === assistant || (messageId !== undefined && line.messageId === messageId),
  );
  if (last.role !== 'toolResult' && ofLast.every(({ results }) => results.length > 0)) return finished;
  for (const call of calls) {
    const isAnsweredSince = call.results.some(({ line }) => line.index > assistant.index);
    if (ofLast.includes(call) || isAnsweredSince) found.add(call);
  }
  return { unfinished: found, openFrom: assistant.index };
}

function isSpoken({ role, startsTurn, value }: OracleLine): boolean {
  if (role === 'assistant' || role === 'toolResult') return true;
  // What a program says in a person's name is not told by the role.
  return role === 'user' && (startsTurn || value?.uuid === undefined);
}

/** Whether nothing is left of a line from which something went. */
function isLeftWithNothing(
  { line, calls, results }: Pick<ExpectedLine, 'line' | 'calls' | 'results'>,
  losesThinking: boolean,
  dialect: OracleDialect,
): boolean {
  const actions = [...calls, ...results];
  if (actions.some((action) => action !== 'remove')) return false;
  if (actions.length === 0 && !(losesThinking && line.thinking > 0)) return false;
  return (dialect === 'openclaw' && line.role === 'toolResult') || saysNothing(line);
}

/** Beside what goes only blanks; more of them than anybody writes before a call are not looked at. */
function saysNothing({ value }: OracleLine): boolean {
  const { content } = ((value as Json).message ?? value) as Json;
  if (!Array.isArray(content)) return false;
  const rest = (content as Json[]).filter(
    (block) => !isCall(block) && !isThinking(block) && block.type !== 'tool_result',
  );
  const text = rest.map((block) => (block.type === 'text' ? String(block.text) : 'something')).join('');
  return text.trim() === '' && text.length <= 32;
}
