import { leafOf, type Transcript } from '@openbot/sessions';
import type { ToolAction } from './line-edit.ts';
import type { PairedCalls } from './pair-calls.ts';
import { findCallIdsBeside, findTiedCalls } from './tied-calls.ts';
import type { TurnZones } from './turn-zones.ts';
import { findUnfinishedCalls } from './unfinished-exchange.ts';

/** What is done to a call or a result, as a number. */
export const KEEP = 0;
export const TRUNCATE = 1;
export const REMOVE = 2;
export const ACTIONS: readonly ToolAction[] = ['keep', 'truncate', 'remove'];

const NUMBER_OF: Readonly<Record<ToolAction, number>> = { keep: KEEP, truncate: TRUNCATE, remove: REMOVE };

export interface CallActions {
  /** By call. */
  readonly ofCall: Uint8Array;
  /** For a result that no call on the path asked for. */
  orphanAt(position: number, index: number, order: number): number;
}

/** A call's turn decides, but for calls that the run in progress works on or that something else needs. */
export function chooseActions(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
  zones: TurnZones,
): CallActions {
  const unfinished = findUnfinishedCalls(transcript, path, pairs);
  const tied = findTiedCalls(transcript, path, pairs, zones);
  const { positionOfCall } = pairs;
  const ofCall = new Uint8Array(positionOfCall.length);
  for (let call = 0; call < ofCall.length; call++) {
    ofCall[call] = NUMBER_OF[zones.actionAt(positionOfCall[call]!)];
  }
  for (const call of tied) if (ofCall[call] === REMOVE) ofCall[call] = TRUNCATE;
  for (const call of unfinished) ofCall[call] = KEEP;

  const leaf = leafOf(transcript);
  const idsBeside = findCallIdsBeside(transcript, path, pairs);
  return {
    ofCall,
    orphanAt(position, index, order) {
      const id = transcript.results.idAt(transcript.firstResultOf(index) + order);
      return index === leaf || idsBeside.has(id) ? KEEP : NUMBER_OF[zones.actionAt(position)];
    },
  };
}
