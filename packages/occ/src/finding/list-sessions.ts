import { storageOf } from '../storage/all.ts';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import type { LocatedSession } from '../storage/contract/located-session.ts';
import { locateSessions } from './locate-sessions.ts';

/** The sessions of the scope, newest first. */
export async function listSessions(scope: SearchScope): Promise<FoundSession[]> {
  return listNewestSessions(scope).listed.map(({ session }) => session);
}

export interface ListedSession {
  readonly session: FoundSession;
  /** The id, or the name of the file where that says more. */
  readonly name: string;
}

export interface SessionList {
  readonly listed: readonly ListedSession[];
  /** Of all sessions of the scope, listed or not: a shortened name must identify one of them. */
  readonly names: readonly string[];
  /** Of all sessions of the scope. */
  readonly owners: readonly SessionOwner[];
}

export type SessionOwner = Pick<FoundSession, 'source' | 'agentId'>;

/** With a limit, only the transcripts that are listed are opened. */
export function listNewestSessions(scope: SearchScope, limit = Number.POSITIVE_INFINITY): SessionList {
  const listed: ListedSession[] = [];
  const names: string[] = [];
  const owners: SessionOwner[] = [];
  for (const located of locateSessions(scope, limit)) {
    const session = listed.length < limit ? storageOf(located).describe(located) : undefined;
    const name = nameOf(located, session?.sessionId ?? located.sessionId);
    if (session !== undefined) listed.push({ session, name });
    if (session === undefined && listed.length < limit) continue;
    names.push(name);
    if (!owners.some((owner) => isSameOwner(owner, located))) owners.push(located);
  }
  return { listed, names, owners };
}

function isSameOwner(a: SessionOwner, b: SessionOwner): boolean {
  return a.source === b.source && a.agentId === b.agentId;
}

/** The transcripts of a session's topics share its id, but not its file. */
function nameOf(located: LocatedSession, sessionId: string): string {
  const { stem } = located;
  if (stem === sessionId || !storageOf(located).isNamedByFile) return sessionId;
  return stem.startsWith(`${sessionId}-topic-`) ? stem : sessionId;
}
