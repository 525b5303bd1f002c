import { OpenBotError } from '@openbot/sessions';

/** A run ended without success. Its events were printed before. */
export function runFailed(
  message: string,
  { sessionId, result }: { sessionId?: string; result: string },
): OpenBotError {
  return new OpenBotError('RUN_FAILED', message, { hint: adviseAfter(message, sessionId, result) });
}

function adviseAfter(message: string, sessionId: string | undefined, result: string): string {
  if (sessionId === undefined) return 'Nothing was started.';
  if (/prompt is too long/i.test(message)) {
    return `Session ${sessionId} is full. To start a new one: --fresh`;
  }
  const more = result === 'budget' ? ' --budget <more>' : '';
  return `To continue it: --session ${sessionId}${more}`;
}
