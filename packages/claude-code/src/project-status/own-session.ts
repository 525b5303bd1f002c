import { normalizeAgentId } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import type { DiscoveredSession } from '../discover/discovered-session.ts';

/** Whether a session is the agent's: by the registry, or where that has no entry by the marker in its first message. */
export function isOwnSession({ agentId, originMarker }: DiscoveredSession, asking: string): boolean {
  const owner = agentId ?? originMarker;
  if (owner === asking) return true;
  // Anybody can type a marker: one that names no possible agent must not become one.
  return isValidAgentId(owner) && normalizeAgentId(owner) === normalizeAgentId(asking);
}
