import { redactSecrets } from '@openbot/sessions';

/** Longer than most secrets: one that begins before the cut is seen whole. */
const BEYOND = 4096;

/**
 * The beginning of a text of which so many characters are to be kept: where it is longer, without its secrets, since half
 * of one would be known for one by nobody.
 */
export function hideBeforeCut(text: string, limit: number): string {
  return text.length <= limit ? text : hideSecrets(text, limit);
}

/** The same without its secrets in any case. What is far behind the limit is not looked at. */
export function hideSecrets(text: string, limit: number): string {
  return redactSecrets(text.slice(0, 2 * limit + BEYOND));
}
