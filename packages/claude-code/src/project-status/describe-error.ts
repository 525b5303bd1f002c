import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import { hideSecrets } from '../scan/hide-secrets.ts';

const LENGTH = 160;

/** What went wrong, in one line without secrets. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(oneLine(hideSecrets(message, LENGTH)), LENGTH);
}
