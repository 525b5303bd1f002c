import type { Transcript } from '@openbot/sessions';
import { FLAG, leafOf } from '@openbot/sessions/transcript';
import type { PairedCalls } from '../pair-calls.ts';

interface UnfinishedExchange {
  /** The calls that the run in progress still works on, by number. */
  readonly calls: ReadonlySet<number>;
  /** The position of the last assistant message, if the results after it have no answer yet. */
  readonly openFrom?: number;
}

/**
 * The calls that the run in progress still works on: if the last message is a result, or has calls without a result, the
 * calls of the last assistant message and those answered after it. They are never touched, so the leaf stays, to which a
 * running agent appends.
 */
export function findUnfinished(
  transcript: Transcript,
  path: readonly number[],
  pairs: PairedCalls,
): UnfinishedExchange {
  const found = new Set<number>();
  const { firstCallAt, firstResultAt, callOfResult, isAnswered } = pairs;
  const addCallsAt = (position: number) => {
    for (let call = firstCallAt[position]!; call < firstCallAt[position + 1]!; call++) found.add(call);
  };
  const addAnsweredAt = (position: number) => {
    for (let result = firstResultAt[position]!; result < firstResultAt[position + 1]!; result++) {
      if (callOfResult[result]! >= 0) found.add(callOfResult[result]!);
    }
  };
  const leafPosition = path.lastIndexOf(leafOf(transcript));
  if (leafPosition >= 0) {
    addCallsAt(leafPosition);
    addAnsweredAt(leafPosition);
  }
  const last = path.findLastIndex((index) => isSpoken(transcript, index));
  const assistant = path.findLastIndex((index) => transcript.roleOf(index) === 'assistant');
  if (last < 0 || assistant < 0 || transcript.roleOf(path[last]!) === 'user') return { calls: found };
  const ofLastMessage = findLinesOfMessage(transcript, path, assistant);
  const isOpen =
    transcript.roleOf(path[last]!) === 'toolResult' ||
    ofLastMessage.some((position) => {
      for (let call = firstCallAt[position]!; call < firstCallAt[position + 1]!; call++) {
        if (isAnswered[call] === 0) return true;
      }
      return false;
    });
  if (!isOpen) return { calls: found };
  for (const position of ofLastMessage) addCallsAt(position);
  for (let position = assistant + 1; position < path.length; position++) addAnsweredAt(position);
  return { calls: found, openFrom: assistant };
}

/** Positions of the lines of the message that has one at `position`, which is its last. */
function findLinesOfMessage(transcript: Transcript, path: readonly number[], last: number): number[] {
  const message = transcript.messageOf(path[last]!);
  const positions = [last];
  if (message < 0) return positions;
  for (let position = last - 1; position >= 0; position--) {
    const index = path[position]!;
    if (transcript.messageOf(index) === message) positions.push(position);
    else if (transcript.has(index, FLAG.startsTurn)) break;
  }
  return positions;
}

/** A message of a person or the assistant; not reminders and command output that the program writes as a person's. */
function isSpoken(transcript: Transcript, index: number): boolean {
  if (transcript.kindOf(index) !== 'message') return false;
  const role = transcript.roleOf(index);
  return (
    role === 'assistant' || role === 'toolResult' || (role === 'user' && !transcript.has(index, FLAG.meta))
  );
}
