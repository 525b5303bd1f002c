import { redactSecrets } from './redact.ts';

/** Longer than most secrets, so that one that begins before the cut is seen whole. */
const BEYOND = 4096;

/**
 * The beginning of a text, at least as long as `limit`, without secrets. They are hidden before the caller cuts the
 * text, because half a secret is not recognised. The text far behind the limit is not searched.
 */
export function hideSecrets(text: string, limit: number): string {
  return redactSecrets(text.slice(0, 2 * limit + BEYOND));
}
