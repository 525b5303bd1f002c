import type { OpenBotError } from '@openbot/sessions';
import type { TurnWork } from '../queue/contract.ts';
import { tellFailure } from './recovery/give-up.ts';
import { buildErrorPayload } from './reply/error-payload.ts';
import type { TurnResult, TurnTools } from './turn-tools.ts';

/**
 * Ends the turn of a message whose agent does not exist, such as one that was taken out of the configuration while the
 * message waited. Nothing of the agent is made. The hint of the error is for the owner of the bot alone.
 */
export async function refuseTurn(
  tools: TurnTools,
  work: TurnWork,
  { message, hint }: OpenBotError,
): Promise<TurnResult> {
  await work.begun;
  const payload = buildErrorPayload({ kind: 'no-agent', agentId: work.agentId });
  // A run from the time when there was an agent may have answered.
  const told = await tellFailure(tools, work, payload);
  return {
    outcome: { end: 'failed', error: message },
    report: {
      sessionId: '',
      provider: '',
      model: '',
      payloads: told.map((reply) => reply.payload),
      compactions: 0,
      outcome: 'failed',
      error: { message, hint },
    },
  };
}
