/** For people, where the network cannot tell that a message was sent before. */
export const REPEAT_MARK = '(This may be a repeat.)';

/** With the line end behind it. */
const ROOM = REPEAT_MARK.length + 1;
/** A limit below it has no room to spare. */
const SMALL = 4 * ROOM;

/** The limit for making parts: each has room for the mark, so that a later try makes the same parts. */
export function leaveRoom(limit: number): number {
  return limit < SMALL ? limit : limit - ROOM;
}

/** A part with the mark in front, where there is one and it fits. */
export function markPart(mark: string | undefined, text = '', limit = Number.POSITIVE_INFINITY): string {
  const marked = [mark, text].filter(Boolean).join('\n');
  return marked.length <= limit ? marked : text;
}
