import { listSessionKeySpellings, toAgentStoreSessionKey } from '@openbot/sessions/key';
import { storageOf } from '../storage/all.ts';
import type { LocatedSession } from '../storage/contract/located-session.ts';

/**
 * The sessions that a name can mean: all that match it in the first way that any matches, so that an exact name is never
 * ambiguous with the beginning of another.
 */
export function matchName(sessions: readonly LocatedSession[], name: string): LocatedSession[] {
  const wanted = name.toLowerCase();
  const keys = spellingsByAgent(name);
  const titlesOf = titlesBySession();
  const ids: NameKind[] = [
    ({ stem }) => stem.toLowerCase() === wanted,
    ({ sessionId }) => sessionId.toLowerCase() === wanted,
  ];
  const namesInEntries: NameKind[] = [
    ({ entries, agentId }) => entries.some(({ key }) => keys(agentId).has(key.trim().toLowerCase())),
    ({ entries }) => entries.some(({ entry }) => isText(entry.label, name)),
    ({ entries }) => entries.some(({ entry }) => isTextInAnyCase(entry.label, wanted)),
    (session) => titlesOf(session).some((title) => isText(title, name)),
    (session) => titlesOf(session).some((title) => isTextInAnyCase(title, wanted)),
  ];
  const beginnings: NameKind = (session) =>
    session.sessionId.toLowerCase().startsWith(wanted) ||
    (session.stem.toLowerCase().startsWith(wanted) && storageOf(session).isNamedByFile);
  return (
    findFirstKind(sessions, ids) ??
    dropOutdated(findFirstKind(sessions, namesInEntries)) ??
    findFirstKind(sessions, [beginnings]) ??
    []
  );
}

type NameKind = (session: LocatedSession) => boolean;

function findFirstKind(
  sessions: readonly LocatedSession[],
  kinds: readonly NameKind[],
): LocatedSession[] | undefined {
  for (const isMeant of kinds) {
    const matches = sessions.filter(isMeant);
    if (matches.length > 0) return matches;
  }
  return undefined;
}

/** Where the current storage of an agent knows a name, what its former one says of it no longer holds. */
function dropOutdated(matches: LocatedSession[] | undefined): LocatedSession[] | undefined {
  const current = new Set(matches?.filter(({ isOutdated }) => !isOutdated).map(({ agentId }) => agentId));
  return matches?.filter(({ isOutdated, agentId }) => !isOutdated || !current.has(agentId));
}

function isText(text: unknown, wanted: string): boolean {
  return typeof text === 'string' && text.trim() === wanted;
}

function isTextInAnyCase(text: unknown, wanted: string): boolean {
  return typeof text === 'string' && text.trim().toLowerCase() === wanted;
}

/** Titles are read from files: only when they are needed, and once. */
function titlesBySession(): (session: LocatedSession) => readonly unknown[] {
  const known = new Map<LocatedSession, readonly unknown[]>();
  return (session) => {
    let titles = known.get(session);
    if (titles === undefined) {
      const { entries } = session;
      titles = [...entries.map(({ entry }) => entry.displayName), storageOf(session).readTitle?.(session)];
      known.set(session, titles);
    }
    return titles;
  };
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
    // Not a session key.
    return new Set();
  }
}
