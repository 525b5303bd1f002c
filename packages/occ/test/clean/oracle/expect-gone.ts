import type { Action } from './expect-clean.ts';
import { isCall, isThinking, type Json, type OracleDialect, type OracleLine } from './read-line.ts';
import type { OraclePath } from './walk-path.ts';

/** What happens to each call and each result of a line. */
export interface PlannedTools {
  readonly line: OracleLine;
  readonly calls: readonly Action[];
  readonly results: readonly Action[];
}

/** What the rules say becomes of a line, its links aside. */
export interface ExpectedLine extends PlannedTools {
  /** Whether its message lost a call, or its turn did, so that its thinking goes. */
  readonly losesThinking: boolean;
  readonly isRemoved: boolean;
}

/** What loses calls or thinking. */
export interface Losers {
  /** Messages: their id, or their only line. */
  readonly losers: ReadonlySet<unknown>;
  /** Lines that lose thinking alone. */
  readonly unbound: ReadonlySet<OracleLine>;
  /** Whether a line stays even with nothing in it, because words have their place through it. */
  isPlace(line: OracleLine): boolean;
}

/** Which lines go because nothing is left of them. */
export function expectGone(
  planned: readonly PlannedTools[],
  { losers, unbound, isPlace }: Losers,
  { path, lines, dialect }: { path: OraclePath; lines: readonly OracleLine[]; dialect: OracleDialect },
): ExpectedLine[] {
  const onPath = new Set(path.lines);
  const single = planned.map((plan): ExpectedLine => {
    const isLoser = losers.has(plan.line.messageId ?? plan.line);
    const mayLose = plan.line !== path.leaf || (plan.line.role === 'assistant' && !saysNothing(plan.line));
    const losesThinking = (onPath.has(plan.line) && mayLose && isLoser) || unbound.has(plan.line);
    const mayGo = plan.line !== path.leaf && !isPlace(plan.line);
    const isRemoved = mayGo && isLeftWithNothing(plan, losesThinking, dialect);
    return { ...plan, losesThinking, isRemoved };
  });
  // Of a message of several lines blanks may be all that is left: they go too.
  const thoughtless = new Set([...unbound].map(({ messageId }) => messageId));
  const isBlankRest = ({ line, losesThinking }: ExpectedLine) =>
    onPath.has(line) &&
    (losesThinking || thoughtless.has(line.messageId)) &&
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
  // An entry that is there twice goes twice, as far as it holds no words.
  const lastOfId = (id: string | undefined) =>
    id === undefined ? -1 : lines.findLastIndex((line) => line.id === id);
  return single.map((one, index) => ({
    ...one,
    isRemoved: gone[index]! || (gone[lastOfId(one.line.id)] === true && isToolLine(one.line, dialect)),
  }));
}

function isToolLine(line: OracleLine, dialect: OracleDialect): boolean {
  if (line.role === 'toolResult' && dialect === 'openclaw') return true;
  return (line.role === 'assistant' || line.role === 'toolResult') && saysNothing(line);
}

/** Whether nothing is left of a line from which something went. */
function isLeftWithNothing(
  { line, calls, results }: PlannedTools,
  losesThinking: boolean,
  dialect: OracleDialect,
): boolean {
  const actions = [...calls, ...results];
  if (actions.some((action) => action !== 'remove')) return false;
  if (actions.length === 0 && !(losesThinking && line.thinking > 0)) return false;
  return (dialect === 'openclaw' && line.role === 'toolResult') || saysNothing(line);
}

/** Beside what goes only blanks; more of them than anybody writes before a call are not looked at. */
export function saysNothing({ value }: OracleLine): boolean {
  const { content } = ((value as Json).message ?? value) as Json;
  if (!Array.isArray(content)) return false;
  const rest = (content as Json[]).filter(
    (block) => !isCall(block) && !isThinking(block) && block.type !== 'tool_result',
  );
  const text = rest.map((block) => (block.type === 'text' ? String(block.text) : 'something')).join('');
  return text.trim() === '' && text.length <= 32;
}
