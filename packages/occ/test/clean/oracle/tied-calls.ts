import { keptOnWay } from './claude-path.ts';
import type { Action } from './expect-clean.ts';
import type { PlannedTools } from './expect-gone.ts';
import type { OracleCall } from './pair-calls.ts';
import type { Json, OracleLine } from './read-line.ts';
import { type OraclePath, parentsOf, walkTo } from './walk-path.ts';

export interface Tied {
  readonly calls: Set<OracleCall>;
  /** Ids of messages whose thinking stays too. */
  readonly messages: ReadonlySet<string>;
}

/**
 * What stays, calls shortened, for something else's sake: a result on another branch answers a call, or words would lose
 * their place in the conversation.
 */
export function tiedCalls(
  lines: readonly OracleLine[],
  path: OraclePath,
  calls: readonly OracleCall[],
  zoneOf: (line: OracleLine) => Action,
): Tied {
  const walk = walkOf(lines, path);
  const messages = neededMessages(lines, path);
  const onWay = lineToCompaction(lines, path);
  const own = calls.filter(
    ({ line, results }) =>
      messages.has(line.messageId!) || line === onWay || results.some((result) => result.line === onWay),
  );
  const ofResults = besideWords(walk, calls, zoneOf);
  return { calls: new Set([...answeredElsewhere(lines, path, calls), ...own, ...ofResults]), messages };
}

/** Ids of messages that stay for the sake of other lines. */
export function neededMessages(lines: readonly OracleLine[], path: OraclePath): Set<string> {
  const messages = placesOfWords(lines, path);
  const onWay = lineToCompaction(lines, path)?.messageId;
  return onWay === undefined ? messages : messages.add(onWay);
}

/** Whether words or calls beside the walk, which stay, have their place through a line: through none with words or calls. */
export function holdsPlace(
  lines: readonly OracleLine[],
  path: OraclePath,
  planned: readonly PlannedTools[],
): (line: OracleLine) => boolean {
  const walk = walkOf(lines, path);
  const staying = planned
    .filter(({ line, calls }) => hasWords(line) || calls.some((action) => action !== 'remove'))
    .map(({ line }) => line);
  return (line) => {
    const own = staying.filter((other) => line.messageId !== undefined && other.messageId === line.messageId);
    const isOther = !own.includes(line) && line.calls.length === 0;
    return isOther && walk.includes(line) && own.length > 0 && own.every((other) => !walk.includes(other));
  };
}

/** The line through which a rewound conversation has the summary of a compaction, where no line of a person's does that. */
function lineToCompaction(lines: readonly OracleLine[], path: OraclePath): OracleLine | undefined {
  const kept = keptOnWay(lines, path);
  return kept.some(({ role, texts }) => role === 'user' && texts.some((text) => text !== ''))
    ? undefined
    : kept.at(-1);
}

function walkOf(lines: readonly OracleLine[], { leaf }: OraclePath): OracleLine[] {
  return leaf === undefined ? [] : walkTo(leaf, parentsOf(lines));
}

function answeredElsewhere(
  lines: readonly OracleLine[],
  path: OraclePath,
  calls: readonly OracleCall[],
): OracleCall[] {
  const parents = parentsOf(lines);
  const found: OracleCall[] = [];
  for (const line of lines) {
    if (line.results.length === 0 || path.lines.includes(line)) continue;
    const above = walkTo(line, parents).slice(0, -1).reverse();
    const join = above.findIndex((one) => path.lines.includes(one));
    if (join < 0) continue;
    for (const id of line.results) {
      if (above.slice(0, join).some((one) => one.calls.some((call) => call.id === id))) continue;
      const answered = calls.findLast((call) => call.id === id && call.line.index <= above[join]!.index);
      if (answered === undefined) continue;
      // A provider takes the result of any call with its id before the next results for its own.
      const behind = path.lines.slice(path.lines.indexOf(answered.line) + 1);
      const end = behind.findIndex(({ results }) => results.length > 0);
      const before = end < 0 ? behind : behind.slice(0, end);
      const lastWithId = (line: OracleLine) =>
        calls.filter((call) => call.line === line && call.id === id).slice(-1);
      found.push(answered, ...before.flatMap(lastWithId));
    }
  }
  return found;
}

/**
 * Lines of Claude Code that hang beside the walk are reached through another line of their message, or through the call
 * that they answer. Words on them need that line: the ids of their messages.
 */
function placesOfWords(lines: readonly OracleLine[], path: OraclePath): Set<string> {
  const walk = walkOf(lines, path);
  const ids = path.lines.map(({ messageId }) => messageId).filter((id) => id !== undefined);
  return new Set(
    ids.filter((id) => {
      const own = path.lines.filter(({ messageId }) => messageId === id);
      // What is not text may go with the calls: it holds no place for certain.
      const holdsPlace = own.some((line) => walk.includes(line) && line.texts.some((text) => text !== ''));
      return !holdsPlace && own.some((line) => !walk.includes(line) && hasWords(line));
    }),
  );
}

/** The same of words beside a result; and they must not begin a turn where turns count. */
function besideWords(
  walk: readonly OracleLine[],
  calls: readonly OracleCall[],
  zoneOf: (line: OracleLine) => Action,
): OracleCall[] {
  const tied = calls.filter(({ results }) =>
    results.some(({ line }) => hasWords(line) && (!walk.includes(line) || zoneOf(line) !== 'remove')),
  );
  const messages = new Set(tied.map(({ line }) => line.messageId).filter((id) => id !== undefined));
  return calls.filter(({ line }) => messages.has(line.messageId!));
}

/** Whether something is left of a line without its calls, its results and its thinking. */
function hasWords({ value }: OracleLine): boolean {
  const { content } = (value?.message ?? {}) as Json;
  if (typeof content === 'string') return content !== '';
  return ((content ?? []) as Json[]).some(({ type, text }) =>
    type === 'text' ? text !== '' : !NO_WORDS.includes(type as string),
  );
}

const NO_WORDS = ['tool_use', 'server_tool_use', 'tool_result', 'thinking', 'redacted_thinking'];
