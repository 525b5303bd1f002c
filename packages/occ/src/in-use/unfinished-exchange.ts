import type { Transcript } from '@openbot/sessions';
import { FLAG, leafOf } from '@openbot/sessions/transcript';

/** How the conversation was left. */
export type LastExchange =
  /** The assistant has said what it had to say, or nothing was said at all. */
  | 'finished'
  /** A call without a result, a result without an answer, or a person's text without one. */
  | 'unfinished'
  /** The entries that would tell are not there; only so for the tail of a transcript. */
  | 'unknown';

/** Looks at the last message on the active path, walking no further back than that. */
export function judgeLastExchange(transcript: Transcript): LastExchange {
  const last = findLastMessage(transcript);
  if (last < 0) return last === NOT_HERE ? 'unknown' : 'finished';
  switch (transcript.roleOf(last)) {
    case 'toolResult':
      return 'unfinished';
    case 'user':
      return transcript.resultCountOf(last) > 0 || transcript.has(last, FLAG.startsTurn)
        ? 'unfinished'
        : 'finished';
    default:
      return hasOpenCall(transcript, last) ? 'unfinished' : 'finished';
  }
}

const NONE = -1;
const NOT_HERE = -2;

function findLastMessage(transcript: Transcript): number {
  let at = leafOf(transcript);
  // Parents that form a ring would never end.
  for (let steps = 0; at >= 0 && steps <= transcript.length; steps++) {
    if (transcript.kindOf(at) === 'reset') return NONE;
    if (isPartOfExchange(transcript, at)) return at;
    at = transcript.parentOf(at);
  }
  return at === NONE ? NONE : NOT_HERE;
}

function isPartOfExchange(transcript: Transcript, index: number): boolean {
  if (transcript.kindOf(index) !== 'message') return false;
  switch (transcript.roleOf(index)) {
    case 'toolResult':
      return true;
    case 'assistant':
      return !transcript.has(index, FLAG.mirror);
    case 'user':
      // Reminders and the output of a person's own commands wait for no answer.
      return transcript.resultCountOf(index) > 0 || transcript.has(index, FLAG.startsTurn);
    default:
      return false;
  }
}

function hasOpenCall(transcript: Transcript, last: number): boolean {
  const open = new Set<string>();
  const message = transcript.messageOf(last);
  let first = last;
  for (let i = last; i >= 0; i--) {
    // One message may be several lines, with results of its first calls between them.
    if (i !== last && (message < 0 || transcript.messageOf(i) !== message)) {
      if (message < 0 || transcript.roleOf(i) === 'assistant' || transcript.has(i, FLAG.startsTurn)) break;
      continue;
    }
    first = i;
    for (const call of transcript.callsOf(i)) open.add(call.id);
  }
  for (let i = first; i < transcript.length && open.size > 0; i++) {
    for (const result of transcript.resultsOf(i)) open.delete(result.callId);
  }
  return open.size > 0;
}
