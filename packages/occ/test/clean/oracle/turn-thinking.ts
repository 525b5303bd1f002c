import type { Action } from './expect-clean.ts';
import { saysNothing } from './expect-gone.ts';
import type { OracleCall } from './pair-calls.ts';
import { blocksOf, isCall, type Json, type OracleLine, parseObject } from './read-line.ts';
import type { OraclePath, OracleTurn } from './walk-path.ts';

export interface ThinkingRules {
  readonly path: OraclePath;
  readonly lines: readonly OracleLine[];
  readonly turns: readonly OracleTurn[];
  readonly calls: readonly OracleCall[];
  readonly openFrom: number;
  /** What became of each line. */
  readonly after: readonly (string | undefined)[];
  /** Ids of messages that hold the place of words. */
  readonly tiedMessages: ReadonlySet<string>;
  /** Thinking is bound to what was said before it. */
  readonly isBound: boolean;
  zoneOf(line: OracleLine): Action;
}

/** What thinking does to calls, and calls to thinking. */
export interface ExpectedThinking {
  actionOf(call: OracleCall): Action;
  /** Messages that lose their thinking though they lose no call: their id, or their only line. */
  readonly losers: ReadonlySet<unknown>;
  /** Lines that lose their thinking because it is bound to what changed. */
  readonly unbound: ReadonlySet<OracleLine>;
}

/**
 * Thinking goes with the calls of its turn, but stays where a call of its message does, and then with all calls of the
 * message. Where words would stand before it, the other calls of the turn stay too: merged-form.property.test.ts judges
 * where; here it is enough that there is such thinking. Thinking of old turns may go because it stands behind words.
 */
export function expectThinking(rules: ThinkingRules, first: (call: OracleCall) => Action): ExpectedThinking {
  const { path, turns, calls, openFrom, after, tiedMessages, zoneOf } = rules;
  if (rules.isBound) return { actionOf: first, losers: new Set(), unbound: findUnbound(rules) };
  const messageOf = (line: OracleLine) => line.messageId ?? line;
  const turnOf = (line: OracleLine) => turns.findIndex(({ lines }) => lines.includes(line));
  const isThere = ({ line, order, id }: OracleCall) => {
    const value = after[line.index] === undefined ? undefined : parseObject(after[line.index]!);
    const left = contentOf(value).filter((block) => isCall(block) && block.id === id);
    // Of calls with one id the last ones stay.
    return left.length >= line.calls.slice(order).filter((call) => call.id === id).length;
  };
  // A result that came in turns later parts messages of that turn, which may stay whole. It needs its own call for that.
  const isLate = (call: OracleCall) => call.results.some(({ line }) => turnOf(line) !== turnOf(call.line));
  const hasLate = calls.some(isLate);
  const own = (call: OracleCall): Action => {
    const action = first(call);
    const isTied = action === 'remove' && isLate(call) && path.lines.some(thinks) && isThere(call);
    return isTied ? 'truncate' : action;
  };

  const thinkers = new Set(path.lines.filter(thinks).map(messageOf));
  const open = path.lines.find(({ index }) => index === openFrom);
  const staying = new Set<unknown>([
    ...tiedMessages,
    ...calls.filter((call) => own(call) !== 'remove').map(({ line }) => messageOf(line)),
  ]);
  if (open !== undefined) staying.add(messageOf(open));
  const isEmptyLeaf = (line: OracleLine) => line === path.leaf && saysNothing(line);
  const stays = (line: OracleLine) => thinks(line) && (staying.has(messageOf(line)) || isEmptyLeaf(line));

  const whole = (call: OracleCall): Action => {
    const action = own(call);
    const isKept = thinkers.has(messageOf(call.line)) && staying.has(messageOf(call.line));
    return action === 'remove' && isKept ? 'truncate' : action;
  };
  // An edit may take out what a person said between two turns, a compaction may cut a turn through.
  const isOdd = rules.lines.some(({ value }) => ODD.includes((value?.subtype ?? value?.type) as string));
  const mayBeTied = (number: number) =>
    (isOdd || hasLate ? turns : turns.slice(number, number + 1)).some(({ lines }) =>
      lines.some(hasLate ? thinks : stays),
    );
  const tied = new Set(
    [...turns.keys()].filter((number) => {
      const going = calls.filter((call) => turnOf(call.line) === number && whole(call) === 'remove');
      return going.length > 0 && mayBeTied(number) && going.every(isThere);
    }),
  );
  const actionOf = (call: OracleCall): Action => {
    const action = whole(call);
    return action === 'remove' && tied.has(turnOf(call.line)) ? 'truncate' : action;
  };

  const lost = new Set(calls.filter((call) => actionOf(call) === 'remove').map(({ line }) => turnOf(line)));
  const isGone = (line: OracleLine) =>
    after[line.index] === undefined || !contentOf(parseObject(after[line.index]!)).some(isThought);
  const losers = new Set<unknown>();
  for (const line of path.lines) {
    if (!thinks(line) || stays(line)) continue;
    const mayGo = zoneOf(line) === 'remove' || isOdd;
    if (lost.has(turnOf(line)) || (mayGo && isGone(line))) losers.add(messageOf(line));
  }
  return { actionOf, losers, unbound: new Set() };
}

/** Which thinking goes is judged by bound-thinking.property.test.ts; here it is enough that it is gone. */
function findUnbound({ lines, after }: ThinkingRules): Set<OracleLine> {
  const isGone = ({ index }: OracleLine) =>
    after[index] === undefined || !contentOf(parseObject(after[index]!)).some(isThought);
  return new Set(lines.filter((line) => thinks(line) && isGone(line)));
}

const ODD = ['context_edit', 'compaction', 'compact_boundary', 'reset'];

function thinks({ value, role }: OracleLine): boolean {
  return role === 'assistant' && contentOf(value).some(isThought);
}

function isThought({ type }: Json): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function contentOf(value: Json | undefined): Json[] {
  return blocksOf(((value?.message ?? value ?? {}) as Json).content);
}
