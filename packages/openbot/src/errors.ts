import { OpenBotError } from '@openbot/sessions';

/** A run of Claude Code ended without success; what happened was printed as it happened. */
export function runFailed(
  message: string,
  { sessionId, result }: { sessionId?: string; result: string },
): OpenBotError {
  return new OpenBotError('RUN_FAILED', message, { hint: adviseAfter(message, sessionId, result) });
}

function adviseAfter(message: string, sessionId: string | undefined, result: string): string {
  if (sessionId === undefined) return 'Nothing was started.';
  if (/prompt is too long/i.test(message)) {
    return `Session ${sessionId} is full. To begin another one: --fresh`;
  }
  const more = result === 'budget' ? ' --budget <more>' : '';
  return `To go on in it: --session ${sessionId}${more}`;
}

/** What was to be printed could not be written. */
export function outputFailed(cause: string): OpenBotError {
  return new OpenBotError('UNEXPECTED', `The output could not be written: ${cause}`, {
    hint: 'Check where it goes: a full disk, a closed file.',
  });
}

/** The reader of the output is gone, so the work was ended. It is not reported: nothing reads a report either. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost';
}
