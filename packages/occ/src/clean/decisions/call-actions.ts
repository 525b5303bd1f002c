import type { Transcript } from '@openbot/sessions';
import { type Context, IMAGE_CHARACTERS, leafOf } from '@openbot/sessions/transcript';
import type { ToolAction } from '../line-edit.ts';
import { NO_CALL, type PairedCalls } from '../pair-calls.ts';
import type { TurnZones } from '../turn-zones.ts';
import { findCallIdsBeside, findNeeded } from './needed-calls.ts';
import { findUnfinished } from './unfinished-exchange.ts';

/** What is done to a call or a result, as a number. */
export const KEEP = 0;
export const TRUNCATE = 1;
export const REMOVE = 2;
export const ACTIONS: readonly ToolAction[] = ['keep', 'truncate', 'remove'];

const NUMBER_OF: Readonly<Record<ToolAction, number>> = { keep: KEEP, truncate: TRUNCATE, remove: REMOVE };

export interface CallActions {
  /** By call. */
  readonly ofCall: Uint8Array;
  /** The position of the last assistant message, if the results after it have no answer yet. */
  readonly openFrom: number | undefined;
  /** Messages of several lines whose thinking stays, by number: words of theirs have their place through it. */
  readonly neededMessages: ReadonlySet<number>;
  /** For a result that no call on the path asked for. */
  orphanAt(position: number, index: number, order: number): number;
  /** Action for an orphan that must stay because it separates text from thinking. */
  keptOrphanAt(position: number): number;
  /** Whether such a result may go from a turn that is kept, too: its call is nowhere, and it is not in use. */
  isLost(position: number, index: number, order: number): boolean;
}

/**
 * The turn of a call decides, except for calls that the run in progress works on or that something else needs.
 * @param large calls that are shortened in every turn
 * @param isBound thinking counts only behind what it was made with: lost results of kept turns are decided later
 */
export function chooseActions(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  zones: TurnZones,
  large: LargeCalls,
  context: Context,
  isBound: boolean,
): CallActions {
  const unfinished = findUnfinished(transcript, path, pairs);
  const needed = findNeeded(transcript, path, pairs, zones, context);
  const { positionOfCall } = pairs;
  const ofCall = new Uint8Array(positionOfCall.length);
  for (let call = 0; call < ofCall.length; call++) {
    ofCall[call] = NUMBER_OF[zones.actionAt(positionOfCall[call]!)];
  }
  keepCallsOfOversizeResults(transcript, pairs, ofCall);
  for (const call of large.keys()) if (ofCall[call] === KEEP) ofCall[call] = TRUNCATE;
  for (const call of needed.calls) if (ofCall[call] === REMOVE) ofCall[call] = TRUNCATE;
  if (transcript.dialect === 'claude-code') keepOtherCalls(transcript, path, pairs, unfinished.calls, ofCall);
  for (const call of unfinished.calls) ofCall[call] = KEEP;

  const leaf = leafOf(transcript);
  const idsBeside = findCallIdsBeside(transcript, path, pairs);
  const isAlone = hasNoBranches(transcript);
  const readUpTo = (transcript.problems[0]?.line ?? Number.POSITIVE_INFINITY) - 1;
  // A call that comes behind its result answers nothing.
  const hasNoCall = (index: number) => isAlone && index < readUpTo;
  const staysAt = (position: number, index: number, order: number) => {
    const isOpen = position > (unfinished.openFrom ?? Number.POSITIVE_INFINITY);
    const id = () => transcript.results.idAt(transcript.firstResultOf(index) + order);
    return isOpen || index === leaf || idsBeside.has(id());
  };
  return {
    ofCall,
    openFrom: unfinished.openFrom,
    neededMessages: needed.messages,
    orphanAt(position, index, order) {
      if (staysAt(position, index, order)) return KEEP;
      return hasNoCall(index) && !isBound ? REMOVE : NUMBER_OF[zones.actionAt(position)];
    },
    keptOrphanAt: (position) => Math.min(NUMBER_OF[zones.actionAt(position)], TRUNCATE),
    isLost: (position, index, order) => hasNoCall(index) && !staysAt(position, index, order),
  };
}

/** Whether lines follow each other in the order of the file: none with an id names a parent. */
function hasNoBranches(transcript: Transcript): boolean {
  if (transcript.dialect !== 'openclaw') return false;
  const { length } = transcript;
  for (let i = transcript.behindBlanks(0); i < length; i = transcript.behindBlanks(i + 1)) {
    if (transcript.idNumberOf(i) >= 0 && transcript.parentIdOf(i) !== undefined) return false;
  }
  return true;
}

/** A line of a message may depend on another line of it: if one call stays, all stay. */
function keepOtherCalls(
  transcript: Transcript,
  path: readonly number[],
  { positionOfCall }: PairedCalls,
  staying: ReadonlySet<number>,
  ofCall: Uint8Array,
): void {
  const messageOf = (call: number) => transcript.messageOf(path[positionOfCall[call]!]!);
  const messages = new Set([...staying].map(messageOf).filter((message) => message >= 0));
  if (messages.size === 0) return;
  for (let call = 0; call < ofCall.length; call++) {
    if (ofCall[call] === REMOVE && messages.has(messageOf(call))) ofCall[call] = TRUNCATE;
  }
}

/** A line too long to be read may be the result of any call that has none. */
function keepCallsOfOversizeResults(
  transcript: Transcript,
  { isAnswered }: PairedCalls,
  ofCall: Uint8Array,
): void {
  if (!transcript.problems.some(({ problem }) => problem === 'oversize')) return;
  for (let call = 0; call < ofCall.length; call++) {
    if (isAnswered[call] === 0 && ofCall[call] === REMOVE) ofCall[call] = KEEP;
  }
}

/** By call: the characters of its arguments or its result, whichever is larger. Only calls above the limit. */
export type LargeCalls = ReadonlyMap<number, number>;

/**
 * Calls whose arguments or result are longer than a number of characters, in every turn. Those of the last message with
 * calls are left out: the current work depends on them.
 */
export function findLargeCalls(
  transcript: Transcript,
  path: readonly number[],
  { positionOfCall, firstCallAt, firstResultAt, callOfResult }: PairedCalls,
  over: number,
): LargeCalls {
  const large = new Map<number, number>();
  const last = positionOfCall.at(-1);
  const lastIndex = last === undefined ? -1 : path[last]!;
  const lastMessage = transcript.messageOf(lastIndex);
  const isLast = (index: number) =>
    index === lastIndex || (lastMessage >= 0 && transcript.messageOf(index) === lastMessage);
  const note = (call: number, size: number) => {
    if (call === NO_CALL || size <= over || isLast(path[positionOfCall[call]!]!)) return;
    large.set(call, Math.max(size, large.get(call) ?? 0));
  };
  for (let position = 0; position < path.length; position++) {
    const index = path[position]!;
    const call = firstCallAt[position]!;
    for (let order = 0; call + order < firstCallAt[position + 1]!; order++) {
      note(call + order, transcript.calls.sizeAt(transcript.firstCallOf(index) + order));
    }
    const result = firstResultAt[position]!;
    const count = firstResultAt[position + 1]! - result;
    if (count === 0) continue;
    const images = (transcript.imageCountOf(index) * IMAGE_CHARACTERS) / count;
    for (let order = 0; order < count; order++) {
      const size = transcript.results.sizeAt(transcript.firstResultOf(index) + order);
      note(callOfResult[result + order]!, size + images);
    }
  }
  return large;
}
