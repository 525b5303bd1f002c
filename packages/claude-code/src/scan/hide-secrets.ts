import { hideSecrets } from '@openbot/sessions/lines';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';

export { hideSecrets };

const LENGTH = 160;

/** The message of an error, in one line without secrets. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(oneLine(hideSecrets(message, LENGTH)), LENGTH);
}
