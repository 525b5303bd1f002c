import type { OracleCall } from './pair-calls.ts';
import type { OracleLine } from './read-line.ts';
import type { OraclePath } from './walk-path.ts';

/**
 * The run in progress: when the last thing said is a result, or a call without one, the calls of the last assistant
 * message and all that were answered after it. And whatever the leaf holds.
 */
export function findUnfinished(
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
