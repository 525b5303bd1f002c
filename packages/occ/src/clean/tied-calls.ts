import { FLAG, leafOf, type Transcript } from '@openbot/sessions';
import { NO_CALL, type PairedCalls } from './pair-calls.ts';
import type { TurnZones } from './turn-zones.ts';

/**
 * Calls that cannot go although they are old, by number: something that must stay would lose its other half. They are
 * shortened instead.
 * - A result on another branch answers the call: that branch could not be resumed.
 * - The result stands in one line with a person's words, and is what gives that line its place: it hangs beside the walk
 *   from leaf to root, or would begin a turn of its own among those that stay.
 */
export function findTiedCalls(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  zones: Pick<TurnZones, 'actionAt'>,
): Set<number> {
  const tied = new Set<number>();
  const mixed = [...pairs.answersAt].filter(([position]) => holdsMore(transcript, path[position]!));
  const walk = mixed.length === 0 ? undefined : walkFrom(transcript, leafOf(transcript));
  for (const [position, numbers] of mixed) {
    if (walk!.has(path[position]!) && zones.actionAt(position) === 'remove') continue;
    for (const number of numbers) if (number !== NO_CALL) tied.add(number);
  }
  const positionOf = new Map(path.map((index, position) => [index, position]));
  for (let i = 0; i < transcript.length; i++) {
    if (transcript.resultCountOf(i) === 0 || positionOf.has(i)) continue;
    for (const { callId } of transcript.resultsOf(i)) {
      const number = findCallAbove(transcript, i, callId, positionOf, pairs, path);
      if (number !== undefined) tied.add(number);
    }
  }
  return tied;
}

function walkFrom(transcript: Transcript, leaf: number): Set<number> {
  const walk = new Set<number>();
  for (let at = leaf; at >= 0 && !walk.has(at); at = transcript.parentOf(at)) walk.add(at);
  return walk;
}

function holdsMore(transcript: Transcript, index: number): boolean {
  if (transcript.dialect !== 'claude-code') return false;
  return transcript.textSizeOf(index) > 0 || transcript.has(index, FLAG.otherContent);
}

/** The call on the path that a result beside it answers, unless one on its own branch does. */
function findCallAbove(
  transcript: Transcript,
  result: number,
  callId: string,
  positionOf: ReadonlyMap<number, number>,
  { callsAt }: PairedCalls,
  path: readonly number[],
): number | undefined {
  const seen = new Set<number>();
  let at = transcript.parentOf(result);
  while (at >= 0 && !positionOf.has(at)) {
    if (seen.has(at) || findCall(transcript, at, callId) >= 0) return undefined;
    seen.add(at);
    at = transcript.parentOf(at);
  }
  for (let position = positionOf.get(at) ?? -1; position >= 0; position--) {
    const order = findCall(transcript, path[position]!, callId);
    if (order >= 0) return callsAt.get(position)![order];
  }
  return undefined;
}

function findCall(transcript: Transcript, index: number, callId: string): number {
  if (callId === '' || transcript.callCountOf(index) === 0) return -1;
  return transcript.callsOf(index).findLastIndex(({ id }) => id === callId);
}
