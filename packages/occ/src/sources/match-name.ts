import { listSessionKeySpellings, toAgentStoreSessionKey } from '@openbot/sessions';
import type { LocatedSession } from './located-session.ts';

/**
 * The sessions that a name can mean: those of the first kind of name that fits any, so that what is named exactly is
 * never ambiguous with what only begins so.
 */
export function matchName(sessions: readonly LocatedSession[], name: string): LocatedSession[] {
  const wanted = name.toLowerCase();
  const keys = spellingsByAgent(name);
  const kinds: ((session: LocatedSession) => boolean)[] = [
    ({ stem }) => stem.toLowerCase() === wanted,
    ({ sessionId }) => sessionId.toLowerCase() === wanted,
    ({ entries, agentId }) => entries.some(({ key }) => keys(agentId).has(key.trim().toLowerCase())),
    ({ entries }) => entries.some(({ entry }) => isLabel(entry.label, wanted)),
    ({ sessionId, stem, source }) =>
      sessionId.toLowerCase().startsWith(wanted) ||
      (source === 'openclaw' && stem.toLowerCase().startsWith(wanted)),
  ];
  for (const isMeant of kinds) {
    const matches = sessions.filter(isMeant);
    if (matches.length > 0) return matches;
  }
  return [];
}

function isLabel(label: unknown, wanted: string): boolean {
  return typeof label === 'string' && label.trim().toLowerCase() === wanted;
}

/** The spellings of a key in the store of an agent, where it may also be written without the agent in front. */
function spellingsByAgent(name: string): (agentId: string | null) => ReadonlySet<string> {
  const known = new Map<string | null, ReadonlySet<string>>();
  return (agentId) => {
    let spellings = known.get(agentId);
    if (spellings === undefined) {
      spellings = listSpellings(name, agentId);
      known.set(agentId, spellings);
    }
    return spellings;
  };
}

function listSpellings(name: string, agentId: string | null): ReadonlySet<string> {
  try {
    const own = listSessionKeySpellings(name, agentId === null ? {} : { bareAgentId: agentId });
    if (agentId === null) return new Set(own);
    const key = toAgentStoreSessionKey({ agentId, requestKey: name });
    return new Set([...own, ...listSessionKeySpellings(key, { bareAgentId: agentId })]);
  } catch {
    // No key at all.
    return new Set();
  }
}
