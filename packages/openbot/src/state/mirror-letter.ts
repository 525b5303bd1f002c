import { appendAssistantMessageToSessionTranscript } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import type { OutboundMessage, OutboxState } from '../outbox/contract.ts';
import type { BotState } from './open-state.ts';

/**
 * Writes a message that a person or a program sent into the transcript of its session. False where there is no such session.
 * @param end where it is known: media that was not sent is left out
 */
export async function mirrorLetter(
  place: {
    readonly state: Pick<BotState, 'storeOf' | 'storePathOf'>;
    readonly stateDir: string;
    readonly env: Environment;
  },
  { agentId, sessionKey, payload }: Pick<OutboundMessage, 'agentId' | 'sessionKey' | 'payload'>,
  end?: { readonly state: OutboxState['state']; readonly error?: string },
): Promise<boolean> {
  const { state, stateDir, env } = place;
  const { ok } = await appendAssistantMessageToSessionTranscript({
    agentId,
    sessionKey,
    text: payload.text,
    ...(!(end?.state === 'sent' && end.error !== undefined) && { mediaUrls: payload.mediaUrls }),
    store: state.storeOf(agentId),
    storePath: state.storePathOf(agentId),
    stateDir,
    env,
  });
  return ok;
}
