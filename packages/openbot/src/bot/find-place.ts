import { OpenBotError, parseAgentSessionKey, type StoredSession } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { assertAgentKnown, chooseAgentId, listAgentIds } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { resolveAddress } from '../routing/request-route.ts';
import { canonicalRef, type SessionRef } from '../session-address.ts';
import type { BotState } from '../state/open-state.ts';
import type { SayRequest } from './contract.ts';

/** The session that a request names: by its id, by a key, or as a message from somewhere would be routed. */
export async function findPlace(
  options: {
    readonly config: BotConfig;
    readonly stateDir: string;
    readonly env: Environment;
    readonly state: Pick<BotState, 'storeOf'>;
    /** Those whose sessions an id may name. Default: all. */
    readonly agentIds?: readonly string[];
  },
  request: Pick<SayRequest, 'agentId' | 'sessionKey' | 'sessionId' | 'to' | 'channel' | 'accountId'>,
): Promise<SessionRef> {
  const { config, stateDir, state } = options;
  const chosen = chooseAgentId({ ...options, flag: request.agentId });
  if (request.sessionId !== undefined) {
    const { agentIds = listAgentIds(config, stateDir) } = options;
    const agents = request.agentId === undefined ? agentIds : [chosen];
    for (const agentId of agents) {
      const sessions: readonly StoredSession[] = await state.storeOf(agentId).list();
      const found = sessions.find(({ entry }) => entry.sessionId === request.sessionId);
      // Agents may share a store.
      const owner = found && parseAgentSessionKey(found.key)?.agentId;
      if (found !== undefined) {
        return canonicalRef(config.session, { agentId: owner ?? agentId, sessionKey: found.key });
      }
    }
    throw new OpenBotError('SESSION_NOT_FOUND', `There is no session ${request.sessionId}`, {
      hint: `Sessions of ${agents.join(', ')} were looked at. Leave --session-id out to use the main session.`,
    });
  }
  const { agentId, sessionKey } = resolveAddress({
    ...request,
    config,
    agentId: request.agentId && chosen,
    fallbackAgentId: chosen,
  });
  assertAgentKnown({ config, stateDir, agentId });
  return canonicalRef(config.session, { agentId, sessionKey });
}
