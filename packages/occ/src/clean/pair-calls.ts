import type { Transcript } from '@openbot/sessions';

/**
 * The calls of a path and the results that answer them. Calls and results have numbers, in the order of the path; positions
 * are positions in it. Plain arrays of numbers, since there can be hundreds of thousands of them.
 */
export interface PairedCalls {
  /** By call. */
  readonly positionOfCall: Int32Array;
  /** By call: 1 when there is a result. */
  readonly isAnswered: Uint8Array;
  /** By position: the number of its first call; the next one's follows its last. One longer than the path. */
  readonly firstCallAt: Int32Array;
  /** By result: the number of the call that it answers, or NO_CALL. */
  readonly callOfResult: Int32Array;
  /** By position, as for calls. */
  readonly firstResultAt: Int32Array;
}

export const NO_CALL = -1;

/**
 * A result answers the last call before it that has its id, since ids come round again in long transcripts; where there is
 * none before it, the first one after it.
 */
export function pairCalls(transcript: Transcript, path: readonly number[]): PairedCalls {
  const positionOfCall = new Int32Array(transcript.calls.length);
  const isAnswered = new Uint8Array(transcript.calls.length);
  const firstCallAt = new Int32Array(path.length + 1);
  const callOfResult = new Int32Array(transcript.results.length);
  const firstResultAt = new Int32Array(path.length + 1);
  const lastCall = new Map<number, number>();
  const waiting = new Map<number, number[]>();
  let calls = 0;
  let results = 0;

  for (let position = 0; position < path.length; position++) {
    const index = path[position]!;
    firstCallAt[position] = calls;
    firstResultAt[position] = results;
    const callCount = transcript.callCountOf(index);
    const firstCall = callCount === 0 ? 0 : transcript.firstCallOf(index);
    for (let row = firstCall, end = row + callCount; row < end; row++) {
      const number = calls++;
      positionOfCall[number] = position;
      const id = transcript.calls.idAt(row);
      if (id < 0) continue;
      lastCall.set(id, number);
      if (waiting.size === 0) continue;
      for (const early of waiting.get(id) ?? []) {
        callOfResult[early] = number;
        isAnswered[number] = 1;
      }
      waiting.delete(id);
    }
    const resultCount = transcript.resultCountOf(index);
    const firstResult = resultCount === 0 ? 0 : transcript.firstResultOf(index);
    for (let row = firstResult, end = row + resultCount; row < end; row++) {
      const result = results++;
      const id = transcript.results.idAt(row);
      const number = id < 0 ? undefined : lastCall.get(id);
      callOfResult[result] = number ?? NO_CALL;
      if (number !== undefined) isAnswered[number] = 1;
      else if (id >= 0) waiting.set(id, [...(waiting.get(id) ?? []), result]);
    }
  }
  firstCallAt[path.length] = calls;
  firstResultAt[path.length] = results;
  return {
    positionOfCall: positionOfCall.subarray(0, calls),
    isAnswered: isAnswered.subarray(0, calls),
    firstCallAt,
    callOfResult: callOfResult.subarray(0, results),
    firstResultAt,
  };
}

/** Calls without results, and results without a call. */
export function countLonely({ isAnswered, callOfResult }: PairedCalls): { calls: number; results: number } {
  let calls = 0;
  let results = 0;
  for (const answered of isAnswered) if (answered === 0) calls++;
  for (const call of callOfResult) if (call === NO_CALL) results++;
  return { calls, results };
}
