import { FLAG, leafOf, type Transcript } from '@openbot/sessions';
import type { PairedCalls } from './pair-calls.ts';

/**
 * The calls that the run in progress still works on, by number: where the last message is a result, or calls that have no
 * result yet, those of the last assistant message and those answered after it. They are never touched, and with them the
 * leaf stays, which a running agent will append to.
 */
export function findUnfinishedCalls(
  transcript: Transcript,
  path: readonly number[],
  { calls, callsAt, answersAt }: PairedCalls,
): Set<number> {
  const found = new Set<number>();
  const leaf = leafOf(transcript);
  const leafPosition = path.lastIndexOf(leaf);
  for (const number of [...(callsAt.get(leafPosition) ?? []), ...(answersAt.get(leafPosition) ?? [])]) {
    if (number >= 0) found.add(number);
  }
  const last = path.findLastIndex((index) => isSpoken(transcript, index));
  const assistant = path.findLastIndex((index) => transcript.roleOf(index) === 'assistant');
  if (last < 0 || assistant < 0 || transcript.roleOf(path[last]!) === 'user') return found;
  const message = transcript.messageOf(path[assistant]!);
  const ofLastMessage: number[] = [];
  for (let position = assistant; position >= 0; position--) {
    const isSame =
      position === assistant || (message >= 0 && transcript.messageOf(path[position]!) === message);
    if (isSame) ofLastMessage.push(...(callsAt.get(position) ?? []));
    else if (message < 0 || transcript.has(path[position]!, FLAG.startsTurn)) break;
  }
  const isOpen =
    transcript.roleOf(path[last]!) === 'toolResult' ||
    ofLastMessage.some((number) => calls[number]!.results.length === 0);
  if (!isOpen) return found;
  for (const number of ofLastMessage) found.add(number);
  for (let position = assistant + 1; position < path.length; position++) {
    for (const number of answersAt.get(position) ?? []) if (number >= 0) found.add(number);
  }
  return found;
}

/** Said by somebody: reminders and command output that the program writes in a person's name are not. */
function isSpoken(transcript: Transcript, index: number): boolean {
  if (transcript.kindOf(index) !== 'message') return false;
  const role = transcript.roleOf(index);
  return (
    role === 'assistant' || role === 'toolResult' || (role === 'user' && !transcript.has(index, FLAG.meta))
  );
}
