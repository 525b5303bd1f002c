import type { Transcript } from '@openbot/sessions';
import { FLAG, leafOf } from '@openbot/sessions/transcript';

/**
 * Says whether lines of a message that stay are part of the conversation only through a line without calls: they are beside
 * the walk, and no other line on it stays with more than thinking.
 */
export function findPlaces(
  transcript: Transcript,
  path: readonly number[],
  isRemoved: (index: number) => boolean,
): (index: number) => boolean {
  if (transcript.dialect !== 'claude-code') return () => false;
  const walk = walkFrom(transcript, leafOf(transcript));
  const lines = new Map<number, number[]>();
  for (const index of path) {
    if (transcript.callCountOf(index) === 0 && !holdsWords(transcript, index)) continue;
    const message = transcript.messageOf(index);
    if (message >= 0) lines.set(message, [...(lines.get(message) ?? []), index]);
  }
  return (index) => {
    if (walk[index] === 0 || transcript.callCountOf(index) > 0) return false;
    const own = lines.get(transcript.messageOf(index)) ?? [];
    const others = own.filter((other) => other !== index && !isRemoved(other));
    return others.length > 0 && others.every((other) => walk[other] === 0);
  };
}

/** Whether something is left of a line without its calls, its results and its thinking. */
export function holdsWords(transcript: Transcript, index: number): boolean {
  return transcript.textSizeOf(index) > 0 || transcript.has(index, FLAG.otherContent);
}

/** The entries from a leaf to the root, by parents alone. */
export function walkFrom(transcript: Transcript, leaf: number): Uint8Array {
  const walk = new Uint8Array(transcript.length);
  for (let at = leaf; at >= 0 && walk[at] === 0; at = transcript.parentOf(at)) walk[at] = 1;
  return walk;
}
