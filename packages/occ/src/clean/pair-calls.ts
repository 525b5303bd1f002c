import type { Transcript } from '@openbot/sessions';

/** The calls of a path and the results that answer them. Positions are positions in the path. */
export interface PairedCalls {
  /** By number of the call, in the order of the path. */
  readonly calls: readonly PathCall[];
  /** By position: the numbers of its calls. */
  readonly callsAt: ReadonlyMap<number, readonly number[]>;
  /** By position: for each of its results the number of the call that it answers, or NO_CALL. */
  readonly answersAt: ReadonlyMap<number, readonly number[]>;
}

export interface PathCall {
  readonly position: number;
  /** Positions of its results; a result before its call counts too. */
  readonly results: number[];
}

export const NO_CALL = -1;

/**
 * A result answers the last call before it that has its id, since ids come round again in long transcripts; where there is
 * none before it, the first one after it.
 */
export function pairCalls(transcript: Transcript, path: readonly number[]): PairedCalls {
  const calls: PathCall[] = [];
  const callsAt = new Map<number, number[]>();
  const answersAt = new Map<number, number[]>();
  const lastCall = new Map<string, number>();
  const waiting = new Map<string, { position: number; order: number }[]>();

  for (const [position, index] of path.entries()) {
    if (transcript.callCountOf(index) > 0) {
      const here: number[] = [];
      for (const { id } of transcript.callsOf(index)) {
        const number = calls.length;
        calls.push({ position, results: [] });
        here.push(number);
        if (id === '') continue;
        lastCall.set(id, number);
        for (const early of waiting.get(id) ?? []) {
          answersAt.get(early.position)![early.order] = number;
          calls[number]!.results.push(early.position);
        }
        waiting.delete(id);
      }
      callsAt.set(position, here);
    }
    if (transcript.resultCountOf(index) === 0) continue;
    const answers: number[] = [];
    answersAt.set(position, answers);
    for (const { callId } of transcript.resultsOf(index)) {
      const number = lastCall.get(callId);
      if (number !== undefined) calls[number]!.results.push(position);
      else if (callId !== '') {
        const early = waiting.get(callId) ?? [];
        early.push({ position, order: answers.length });
        waiting.set(callId, early);
      }
      answers.push(number ?? NO_CALL);
    }
  }
  return { calls, callsAt, answersAt };
}
