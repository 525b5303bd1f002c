import { isValidAgentId, normalizeAgentId } from '@openbot/sessions';
import type { DiscoveredSession } from '../discover/discovered-session.ts';

/** Whether a session is the agent's: by the registry, or where that has no entry by the marker in its first message. */
export function isOwnSession({ agentId, originMarker }: DiscoveredSession, asking: string): boolean {
  const owner = agentId ?? originMarker;
  if (owner === asking) return true;
  // Anybody can type a marker: one that names no possible agent must not become one.
  return isValidAgentId(owner) && normalizeAgentId(owner) === normalizeAgentId(asking);
}

/** The newest first; of equal age the order does not depend on the order that they came in. */
export function compareByRecency(one: DiscoveredSession, other: DiscoveredSession): number {
  const difference = timeOf(other) - timeOf(one);
  if (difference !== 0) return difference;
  return one.sessionId < other.sessionId ? -1 : one.sessionId > other.sessionId ? 1 : 0;
}

/** A time that is none is older than any. */
function timeOf(session: DiscoveredSession): number {
  const time = session.lastModified.getTime();
  return Number.isNaN(time) ? -8.64e15 : time;
}
