import type { Transcript } from '@openbot/sessions';
import { type Context, leafOf } from '@openbot/sessions/transcript';
import { holdsWords, walkFrom } from '../message-places.ts';
import { NO_CALL, type PairedCalls } from '../pair-calls.ts';
import type { TurnZones } from '../turn-zones.ts';

/** What of old turns cannot be removed. */
interface Needed {
  /** Calls, by number. They are shortened instead. */
  readonly calls: Set<number>;
  /** Messages of several lines whose thinking stays, by number. */
  readonly messages: Set<number>;
}

/**
 * Old calls, and messages with old thinking, without which something that stays would lose its counterpart or its place in
 * the tree.
 * - A result on another branch answers the call: that branch could not be resumed.
 * - Lines of Claude Code can belong to the conversation without being on the walk from leaf to root: lines of a message
 *   of which another line is on it, and results of its calls. Words on such a line need that other line.
 * - A conversation that was rewound to a message which a compaction kept has the summary through the kept messages on its
 *   path. If all of them went, the model would be given what was before the compaction instead.
 * - A result in one line with a person's words would leave a line that begins a turn of its own among those that stay.
 */
export function findNeeded(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  zones: Pick<TurnZones, 'actionAt'>,
  context: Context,
): Needed {
  const needed: Needed = { calls: new Set(), messages: new Set() };
  keepWayToCompaction(transcript, path, pairs, context, needed);
  if (transcript.dialect === 'claude-code')
    keepPlaceOfWordsBesideTheWalk(transcript, path, pairs, zones, needed);
  if (pairs.callOfResult.length < transcript.results.length)
    keepCallsOfResultsBesideThePath(transcript, path, pairs, needed.calls);
  return needed;
}

/** What is left of a message of several lines without its calls. */
interface Remains {
  readonly calls: number[];
  onWalk: boolean;
  besideWalk: boolean;
}

function keepPlaceOfWordsBesideTheWalk(
  transcript: Transcript,
  path: readonly number[],
  { firstCallAt, firstResultAt, callOfResult }: PairedCalls,
  zones: Pick<TurnZones, 'actionAt'>,
  needed: Needed,
): void {
  const walk = walkFrom(transcript, leafOf(transcript));
  const messages = new Map<number, Remains>();
  const messageOfCall = new Map<number, Remains>();
  for (let position = 0; position < path.length; position++) {
    const index = path[position]!;
    const message = transcript.messageOf(index);
    if (message < 0) continue;
    let remains = messages.get(message);
    if (remains === undefined) {
      remains = { calls: [], onWalk: false, besideWalk: false };
      messages.set(message, remains);
    }
    for (let call = firstCallAt[position]!; call < firstCallAt[position + 1]!; call++) {
      remains.calls.push(call);
      messageOfCall.set(call, remains);
    }
    // Other content may be removed with the calls, so it does not keep the place.
    if (walk[index] === 1) remains.onWalk ||= transcript.textSizeOf(index) > 0;
    else remains.besideWalk ||= holdsWords(transcript, index);
  }
  for (const [message, { calls, onWalk, besideWalk }] of messages) {
    if (!besideWalk || onWalk) continue;
    needed.messages.add(message);
    for (const call of calls) needed.calls.add(call);
  }
  for (let position = 0; position < path.length; position++) {
    if (firstResultAt[position] === firstResultAt[position + 1]) continue;
    const index = path[position]!;
    if (!holdsWords(transcript, index)) continue;
    if (walk[index] === 1 && zones.actionAt(position) === 'remove') continue;
    for (let result = firstResultAt[position]!; result < firstResultAt[position + 1]!; result++) {
      const call = callOfResult[result]!;
      if (call === NO_CALL) continue;
      for (const other of messageOfCall.get(call)?.calls ?? [call]) needed.calls.add(other);
    }
  }
}

function keepWayToCompaction(
  transcript: Transcript,
  path: readonly number[],
  { positionOfCall, firstResultAt, callOfResult }: PairedCalls,
  { cutBy, cutOff }: Context,
  needed: Needed,
): void {
  if (transcript.dialect !== 'claude-code' || cutBy === undefined || path.includes(cutBy)) return;
  const isCutOff = new Set(cutOff);
  const isKept = (index: number) => index < cutBy && !isCutOff.has(index);
  // A person's line stays in any case.
  const stays = (index: number) => transcript.roleOf(index) === 'user' && transcript.textSizeOf(index) > 0;
  if (path.some((index) => isKept(index) && stays(index))) return;
  const last = path.findLastIndex(isKept);
  const lastIndex = path[last]!;
  const message = transcript.messageOf(lastIndex);
  if (message >= 0) needed.messages.add(message);
  for (let call = 0; call < positionOfCall.length; call++) {
    const index = path[positionOfCall[call]!]!;
    if (index === lastIndex || (message >= 0 && transcript.messageOf(index) === message))
      needed.calls.add(call);
  }
  for (let result = firstResultAt[last]!; result < firstResultAt[last + 1]!; result++) {
    if (callOfResult[result] !== NO_CALL) needed.calls.add(callOfResult[result]!);
  }
}

function keepCallsOfResultsBesideThePath(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  needed: Set<number>,
): void {
  const positionOf = new Map(path.map((index, position) => [index, position]));
  for (let i = 0, length = transcript.length; i < length; i++) {
    const count = transcript.resultCountOf(i);
    if (count === 0 || positionOf.has(i)) continue;
    for (let row = transcript.firstResultOf(i), end = row + count; row < end; row++) {
      const id = transcript.results.idAt(row);
      const position = findCallAbove(transcript, i, id, positionOf, path);
      if (position !== undefined) addCallsBeforeResults(transcript, path, pairs, position, id, needed);
    }
  }
}

/**
 * The last call with an id at a position, and those behind it up to the next results: a provider takes the result of any of
 * them for the call's own.
 */
function addCallsBeforeResults(
  transcript: Transcript,
  path: readonly number[],
  { firstCallAt }: PairedCalls,
  first: number,
  id: number,
  needed: Set<number>,
): void {
  for (let position = first; position < path.length; position++) {
    const index = path[position]!;
    if (transcript.resultCountOf(index) > 0) return;
    const order = findCall(transcript, index, id);
    if (order >= 0) needed.add(firstCallAt[position]! + order);
  }
}

/** The position of the call that a result beside the path answers, unless one on its own branch does. */
function findCallAbove(
  transcript: Transcript,
  result: number,
  id: number,
  positionOf: ReadonlyMap<number, number>,
  path: readonly number[],
): number | undefined {
  if (id < 0) return undefined;
  const seen = new Set<number>();
  let at = transcript.parentOf(result);
  while (at >= 0 && !positionOf.has(at)) {
    if (seen.has(at) || findCall(transcript, at, id) >= 0) return undefined;
    seen.add(at);
    at = transcript.parentOf(at);
  }
  for (let position = positionOf.get(at) ?? -1; position >= 0; position--) {
    if (findCall(transcript, path[position]!, id) >= 0) return position;
  }
  return undefined;
}

/** Which of an entry's calls has the id; the last one, or -1. */
function findCall(transcript: Transcript, index: number, id: number): number {
  const first = transcript.firstCallOf(index);
  for (let order = transcript.callCountOf(index) - 1; order >= 0; order--) {
    if (transcript.calls.idAt(first + order) === id) return order;
  }
  return -1;
}

/**
 * Ids of calls on other branches. A result on the path that no call on it asked for may be the answer to one of them, given
 * before the fork.
 */
export function findCallIdsBeside(
  transcript: Transcript,
  path: readonly number[],
  { positionOfCall }: PairedCalls,
): Set<number> {
  const ids = new Set<number>();
  if (positionOfCall.length === transcript.calls.length) return ids;
  const onPath = new Set(path);
  for (let i = 0, length = transcript.length; i < length; i++) {
    const count = transcript.callCountOf(i);
    if (count === 0 || onPath.has(i)) continue;
    for (let row = transcript.firstCallOf(i), end = row + count; row < end; row++)
      ids.add(transcript.calls.idAt(row));
  }
  return ids;
}
