import type { Transcript } from '@openbot/sessions';

/** Messages on a path, before and after; the lines of one message count once. */
export function countMessages(
  transcript: Transcript,
  path: readonly number[],
  isRemoved: (index: number) => boolean,
): { messagesOriginal: number; messagesAfter: number } {
  const before = new Set<number>();
  const after = new Set<number>();
  let single = 0;
  let singleAfter = 0;
  for (const index of path) {
    if (transcript.kindOf(index) !== 'message') continue;
    const message = transcript.messageOf(index);
    if (message < 0) {
      single++;
      if (!isRemoved(index)) singleAfter++;
      continue;
    }
    before.add(message);
    if (!isRemoved(index)) after.add(message);
  }
  return { messagesOriginal: single + before.size, messagesAfter: singleAfter + after.size };
}
