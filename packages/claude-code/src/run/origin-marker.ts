import { normalizeAgentId } from '@openbot/sessions';

/** The first message of a session that an agent starts: who reads the transcript sees whose it is. */
export function markOrigin(agentId: string, task: string): string {
  return `[openclaw:agent=${normalizeAgentId(agentId)}]\n\n${task}`;
}
