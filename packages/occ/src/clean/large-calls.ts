import type { Transcript } from '@openbot/sessions';
import { IMAGE_CHARACTERS } from '@openbot/sessions/transcript';
import { NO_CALL, type PairedCalls } from './pair-calls.ts';

/** By call: how many characters its larger half has, its arguments or its result. Of calls above the limit alone. */
export type LargeCalls = ReadonlyMap<number, number>;

/**
 * Calls whose arguments or result are longer than a number of characters, wherever they stand. Those of the last message
 * with calls are left out: the work in hand rests on them.
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
    const images = count === 0 ? 0 : (transcript.imageCountOf(index) * IMAGE_CHARACTERS) / count;
    for (let order = 0; order < count; order++) {
      const size = transcript.results.sizeAt(transcript.firstResultOf(index) + order);
      note(callOfResult[result + order]!, size + images);
    }
  }
  return large;
}
