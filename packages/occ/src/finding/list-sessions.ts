import { reportProgress } from '@openbot/sessions';
import { formatQuantity, percentOf } from '@openbot/sessions/terminal-text';
import { storageOf } from '../storage/all.ts';
import type { SessionEnds } from '../storage/contract/finding.ts';
import type { ContextWindow, FoundSession, SearchScope } from '../storage/contract/found-session.ts';
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
  reportProgress({ step: 'find', text: 'Looking for sessions' });
  for (const located of locateSessions(scope, limit)) {
    // For those that are opened: the others take no time.
    if (listed.length < limit) reportProgress({ step: 'find', text: 'Looking for sessions' });
    const session = listed.length < limit ? storageOf(located).describe(located) : undefined;
    const name = nameOf(located, session?.sessionId ?? located.sessionId);
    if (session !== undefined) listed.push({ session, name });
    if (session === undefined && listed.length < limit) continue;
    names.push(name);
    if (!owners.some((owner) => isSameOwner(owner, located))) owners.push(located);
  }
  return { listed: readAllEnds(listed), names, owners };
}

/** The same of sessions that were found already. */
export function listFoundSessions(sessions: readonly FoundSession[]): SessionList {
  const owners: SessionOwner[] = [];
  for (const session of sessions) {
    if (!owners.some((owner) => isSameOwner(owner, session))) owners.push(session);
  }
  const listed = sessions.map((session) => ({ session, name: session.sessionId }));
  return { listed: readAllEnds(listed), names: listed.map(({ name }) => name), owners };
}

/** Adds what the ends of the transcripts say. */
function readAllEnds(listed: readonly ListedSession[]): ListedSession[] {
  const present = listed.map(({ session }) => session).filter(({ missing, cold }) => !missing && !cold);
  const ends = new Map<FoundSession, SessionEnds>();
  reportProgress({ step: 'list', text: `Reading ${formatQuantity(present.length, 'session')}` });
  for (const [storage, sessions] of Map.groupBy(present, storageOf)) {
    for (const [session, found] of storage.readEnds(sessions)) ends.set(session, found);
  }
  return listed.map(({ session, name }) => ({ session: withEnds(session, ends.get(session)), name }));
}

/** A figure in the transcript is newer than the one in the index, and is the one that `occ info` shows. */
function withEnds(session: FoundSession, { firstWords, figure }: SessionEnds = {}): FoundSession {
  const { window } = session;
  const found = figure ?? figureOf(window);
  const tokens = found && { context: found.tokens, basis: found.basis };
  if (window === undefined || figure === undefined) return { ...session, firstWords, tokens };
  const percent = percentOf(figure.tokens, window.tokens);
  const estimated = figure.basis === 'recorded' ? undefined : true;
  return {
    ...session,
    firstWords,
    tokens,
    window: { tokens: window.tokens, used: figure.tokens, percent, estimated },
  };
}

function figureOf(window: ContextWindow | undefined): SessionEnds['figure'] {
  if (window?.used === undefined) return undefined;
  return { tokens: window.used, basis: window.estimated ? 'estimated' : 'recorded' };
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
