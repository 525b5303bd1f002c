import type { Action } from './expect-clean.ts';
import type { OracleCall } from './pair-calls.ts';
import type { Json, OracleLine } from './read-line.ts';
import { type OraclePath, parentsOf, walkTo } from './walk-path.ts';

/**
 * Calls that stay, shortened, for something else's sake: a result on another branch answers them, or words would lose
 * their place in the conversation.
 */
export function tiedCalls(
  lines: readonly OracleLine[],
  path: OraclePath,
  calls: readonly OracleCall[],
  zoneOf: (line: OracleLine) => Action,
): Set<OracleCall> {
  const parents = parentsOf(lines);
  const walk = path.leaf === undefined ? [] : walkTo(path.leaf, parents);
  return new Set([...answeredElsewhere(lines, path, calls), ...holdingWords(walk, path, calls, zoneOf)]);
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
      if (answered !== undefined) found.push(answered);
    }
  }
  return found;
}

/**
 * Lines of Claude Code that hang beside the walk are reached through another line of their message, or through the call
 * that they answer. Words on them need that line; and words beside a result must not begin a turn where turns count.
 */
function holdingWords(
  walk: readonly OracleLine[],
  path: OraclePath,
  calls: readonly OracleCall[],
  zoneOf: (line: OracleLine) => Action,
): OracleCall[] {
  const messages = new Set(path.lines.map(({ messageId }) => messageId).filter((id) => id !== undefined));
  return [...messages].flatMap((messageId) => {
    const own = path.lines.filter((line) => line.messageId === messageId);
    const ownCalls = calls.filter(({ line }) => line.messageId === messageId);
    const results = ownCalls.flatMap((call) => call.results.map(({ line }) => line));
    // What is not text may go with the calls: it holds no place for certain.
    const isTied =
      (own.some((line) => !walk.includes(line) && hasWords(line)) &&
        !own.some((line) => walk.includes(line) && line.texts.some((text) => text !== ''))) ||
      results.some((line) => hasWords(line) && (!walk.includes(line) || zoneOf(line) !== 'remove'));
    return isTied ? ownCalls : [];
  });
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
