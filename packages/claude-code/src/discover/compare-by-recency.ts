import type { DiscoveredSession } from './discovered-session.ts';

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
