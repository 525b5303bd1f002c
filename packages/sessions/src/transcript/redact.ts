import { redactAssignments } from './redact/assignments.ts';
import { redactCommands } from './redact/commands.ts';
import { redactHeaders } from './redact/headers.ts';
import { redactPrivateKeys } from './redact/pem.ts';
import { redactTokens } from './redact/tokens.ts';
import { redactUrls } from './redact/urls.ts';

const MAX_ROUNDS = 8;

/**
 * Hides API keys, tokens, passwords, private keys, credentials in headers and cookies. Takes time linear in the length
 * of the text, whatever it holds, and leaves what it has redacted alone: redacting twice is redacting once.
 */
export function redactSecrets(text: string): string {
  let current = text;
  // Hiding one secret can bring another into view (a token inside a cookie): until nothing changes any more.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = redactOnce(current);
    if (next === current) break;
    current = next;
  }
  return current;
}

function redactOnce(text: string): string {
  return redactTokens(redactAssignments(redactCommands(redactHeaders(redactUrls(redactPrivateKeys(text))))));
}
