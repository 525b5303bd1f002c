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

export function outputFailed(cause: string): OpenBotError {
  return new OpenBotError('UNEXPECTED', `The output could not be written: ${cause}`, {
    hint: 'Check its destination: the disk may be full, or the file closed.',
  });
}

/** The reader of the output is gone, so the run was ended. This is not reported, because nothing would read the report. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost';
}
