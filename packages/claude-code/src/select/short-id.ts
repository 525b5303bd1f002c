import { oneLine } from '../terminal-text/printable.ts';

/** Enough of a session id for a person. */
export function shortId(sessionId: string): string {
  return oneLine(sessionId.slice(0, 8));
}
