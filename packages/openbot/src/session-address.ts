import { parseAgentSessionKey } from '@openbot/sessions';

/** A session, among those of all agents. */
export interface SessionRef {
  readonly agentId: string;
  readonly sessionKey: string;
}

/**
 * One text for it, where sessions of all agents are kept together. Most keys name their agent and are used as they are;
 * `global` does not, and each agent has a session of that name.
 */
export function addressOf({ agentId, sessionKey }: SessionRef): string {
  return parseAgentSessionKey(sessionKey) ? sessionKey : `${agentId}|${sessionKey}`;
}
