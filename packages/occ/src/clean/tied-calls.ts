import { FLAG, leafOf, type Transcript } from '@openbot/sessions';
import { NO_CALL, type PairedCalls } from './pair-calls.ts';
import type { TurnZones } from './turn-zones.ts';

/**
 * Calls that cannot go although they are old, by number: something that must stay would lose its other half or its place.
 * They are shortened instead.
 * - A result on another branch answers the call: that branch could not be resumed.
 * - Claude Code's lines can be part of the conversation without standing on the walk from leaf to root: lines of a message
 *   of which another line stands there, and results of its calls. Words on such a line need that other line.
 * - A result in one line with a person's words would leave a line that begins a turn of its own among those that stay.
 */
export function findTiedCalls(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  zones: Pick<TurnZones, 'actionAt'>,
): Set<number> {
  const tied = new Set<number>();
  if (transcript.dialect === 'claude-code') tieWordsBesideTheWalk(transcript, path, pairs, zones, tied);
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

/** What a message of several lines leaves when its calls go. */
interface Remains {
  readonly calls: number[];
  onWalk: boolean;
  besideWalk: boolean;
}

function tieWordsBesideTheWalk(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  zones: Pick<TurnZones, 'actionAt'>,
  tied: Set<number>,
): void {
  const walk = walkFrom(transcript, leafOf(transcript));
  const messages = new Map<number, Remains>();
  const messageOfCall = new Map<number, Remains>();
  for (const [position, index] of path.entries()) {
    const message = transcript.messageOf(index);
    if (message < 0) continue;
    const remains = messages.get(message) ?? { calls: [], onWalk: false, besideWalk: false };
    messages.set(message, remains);
    for (const number of pairs.callsAt.get(position) ?? []) {
      remains.calls.push(number);
      messageOfCall.set(number, remains);
    }
    if (!holdsWords(transcript, index)) continue;
    if (walk.has(index)) remains.onWalk = true;
    else remains.besideWalk = true;
  }
  const tie = (remains: Remains) => {
    for (const number of remains.calls) tied.add(number);
  };
  for (const remains of messages.values()) if (remains.besideWalk && !remains.onWalk) tie(remains);
  for (const [position, numbers] of pairs.answersAt) {
    const index = path[position]!;
    if (!holdsWords(transcript, index)) continue;
    if (walk.has(index) && zones.actionAt(position) === 'remove') continue;
    for (const number of numbers) {
      if (number !== NO_CALL)
        tie(messageOfCall.get(number) ?? { calls: [number], onWalk: true, besideWalk: false });
    }
  }
}

/** Whether something is left of a line without its calls, its results and its thinking. */
function holdsWords(transcript: Transcript, index: number): boolean {
  return transcript.textSizeOf(index) > 0 || transcript.has(index, FLAG.otherContent);
}

/**
 * Results on the path that no call on it answers but one on another branch does, since they stand before the fork: that
 * branch needs them. By call id.
 */
export function findCallIdsBeside(transcript: Transcript, path: readonly number[]): Set<string> {
  const ids = new Set<string>();
  const onPath = new Set(path);
  for (let i = 0; i < transcript.length; i++) {
    if (transcript.callCountOf(i) === 0 || onPath.has(i)) continue;
    for (const { id } of transcript.callsOf(i)) ids.add(id);
  }
  return ids;
}

function walkFrom(transcript: Transcript, leaf: number): Set<number> {
  const walk = new Set<number>();
  for (let at = leaf; at >= 0 && !walk.has(at); at = transcript.parentOf(at)) walk.add(at);
  return walk;
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
