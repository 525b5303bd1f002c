import { redactSecrets } from '@openbot/sessions';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';

/** Longer than most secrets: one that begins before the cut is seen whole. */
const BEYOND = 4096;

/**
 * The beginning of a text, of which so many characters are to be kept or shown, without its secrets. They are hidden
 * before anything is cut: half of one is not recognised any more. What is far behind the limit is not looked at.
 */
export function hideSecrets(text: string, limit: number): string {
  return redactSecrets(text.slice(0, 2 * limit + BEYOND));
}

const LENGTH = 160;

/** What went wrong, in one line without secrets. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(oneLine(hideSecrets(message, LENGTH)), LENGTH);
}
