import type { Transcript } from '../../transcript/transcript.ts';
import { activePath } from '../../transcript/tree/tree.ts';

/** Which lines of a transcript stay. */
export interface Cut {
  /** By index; 1 for lines that stay. */
  readonly keeps: Uint8Array;
  readonly kept: number;
  readonly removed: number;
}

/**
 * The header and the last `maxLines` lines stay. So do, from before them:
 * - the newest compaction of the conversation, in the place of one of those lines: its summary is all that the model
 *   still has of what it replaces;
 * - the session's name and the conversation's model and thinking level, where their newest lines are older: agents read
 *   them from there;
 * - calls of results that stay, and the other results of those calls: a result without its call is refused by
 *   providers, and a call without its result is answered by a made-up one.
 * Blank lines count for nothing. The last line, and with it the leaf, always stays.
 */
export function planCut(transcript: Transcript, header: number, maxLines: number): Cut {
  const path = activePath(transcript).entries;
  const compaction = path.findLast((index) => transcript.kindOf(index) === 'compaction');
  let cut = findCut(transcript, header, maxLines);
  if (compaction !== undefined && compaction < cut && maxLines > 1) {
    cut = findCut(transcript, header, maxLines - 1);
  }
  const keeps = new Uint8Array(transcript.length).fill(1, cut);
  keeps[header] = 1;
  if (compaction !== undefined) keeps[compaction] = 1;
  for (const setting of findSettings(transcript, path)) keeps[setting] = 1;
  keepCallsWithResults(transcript, keeps, cut);

  let kept = 0;
  let removed = 0;
  for (let i = 0; i < transcript.length; i++) {
    if (i === header || transcript.kindOf(i) === 'blank') continue;
    if (keeps[i]) kept++;
    else removed++;
  }
  return { keeps, kept, removed };
}

/** The index of the first line that stays for its place alone. */
function findCut(transcript: Transcript, header: number, maxLines: number): number {
  let left = maxLines;
  for (let i = transcript.length - 1; i > header; i--) {
    if (transcript.kindOf(i) !== 'blank' && --left === 0) return i;
  }
  return 0;
}

function findSettings(transcript: Transcript, path: readonly number[]): number[] {
  const newest = new Map<string, number>();
  for (const index of path) {
    const kind = transcript.kindOf(index);
    if (kind === 'model-change' || kind === 'thinking-level-change') newest.set(kind, index);
  }
  // The last name counts, on whichever branch it was given.
  for (let i = 0; i < transcript.length; i++) {
    if (transcript.kindOf(i) === 'session-info') newest.set('session-info', i);
  }
  return [...newest.values()];
}

function keepCallsWithResults(transcript: Transcript, keeps: Uint8Array, cut: number): void {
  // Ids of calls come round again in long transcripts: a result answers the last call before it.
  const callLine = new Map<string, number>();
  const resultsOfCall = new Map<number, number[]>();
  const wanted = new Set<number>();
  for (let i = 0; i < transcript.length; i++) {
    for (const { callId } of transcript.resultCountOf(i) > 0 ? transcript.resultsOf(i) : []) {
      const call = callLine.get(callId);
      if (call === undefined || call >= cut) continue;
      if (keeps[i]) wanted.add(call);
      const results = resultsOfCall.get(call);
      if (results === undefined) resultsOfCall.set(call, [i]);
      else results.push(i);
    }
    for (const { id } of transcript.callCountOf(i) > 0 ? transcript.callsOf(i) : []) callLine.set(id, i);
  }
  for (const call of wanted) {
    keeps[call] = 1;
    for (const result of resultsOfCall.get(call) ?? []) keeps[result] = 1;
  }
}
