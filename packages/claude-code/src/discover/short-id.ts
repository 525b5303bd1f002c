import { oneLine } from '@openbot/sessions/terminal-text';

/** Enough of a session id for a person. */
export function shortId(sessionId: string): string {
  return oneLine(sessionId.slice(0, 8));
}
