import { OpenBotError } from '@openbot/sessions';
import { findCallingSession, refuseToGuess } from '../callers/calling-session.ts';
import { SessionNotFoundError } from '../errors.ts';
import { SOURCES, storageOf } from '../storage/all.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import type { SessionSource } from '../storage/contract/source.ts';
import { listOffered, locateSessions } from './locate-sessions.ts';
import { nothingFound } from './no-sessions.ts';
import { chooseSources, demandedSource, readOwnSessionId } from './source-choice.ts';

/**
 * The session that the caller is in: the one that the environment names, else the one whose agent runs this command,
 * else, outside an agent's shell, the most recently active one.
 */
export async function findCurrentSession(scope: SearchScope): Promise<ResolvedSession> {
  const sources = chooseSources(scope);
  for (const source of sources) {
    const ownId = readOwnSessionId(source, scope);
    if (ownId !== undefined) return { session: findOwn(source, ownId, scope), foundBy: 'environment' };
  }
  // In an agent's shell its sessions are candidates too, unless the caller asked for others.
  const isAsked = scope.source !== undefined || demandedSource(scope) !== undefined;
  const calling = await findCallingSession(scope, isAsked ? sources : SOURCES);
  const session = calling === undefined ? undefined : storageOf(calling).describe(calling);
  if (session !== undefined) return { session, foundBy: 'calling-command' };
  refuseToGuess(scope);
  return findNewest(scope, sources);
}

function findOwn(source: SessionSource, sessionId: string, scope: SearchScope): FoundSession {
  const own = source.locate(scope).filter((session) => session.sessionId === sessionId);
  const [session] = openFirst(own.sort(compareByAge), 1);
  if (session !== undefined) return session;
  throw new SessionNotFoundError(
    sessionId,
    `${source.shell.sessionVariable} names it, but it is not in ${source.searchedPaths(scope).join(', ')}; name a session, or choose another --source`,
  );
}

/** The most recently active session; of a source that goes by the working folder, one of that folder. */
async function findNewest(scope: SearchScope, sources: readonly SessionSource[]): Promise<ResolvedSession> {
  const located = locateSessions(withoutGuessing(scope)).sort(compareByKey);
  const folders = new Map(sources.map(({ name, ofWorkingFolder }) => [name, ofWorkingFolder?.(scope)]));
  const found = openFirst(
    located.filter((session) => folders.get(session.source)?.mayHave(session) ?? true),
    scope.choose === undefined ? 1 : Number.POSITIVE_INFINITY,
    (session) => folders.get(session.source)?.has(session) ?? true,
  );
  const [newest] = found;
  if (newest !== undefined) {
    const offered = listOffered(scope, found);
    const isSure = offered.length === 0 || (offered.length === 1 && offered[0] === newest);
    if (scope.choose === undefined || isSure) return { session: newest, foundBy: 'most-recent' };
    return { session: await scope.choose(offered), foundBy: 'argument' };
  }
  const other = located.find(({ source }) => folders.get(source) !== undefined);
  throw other === undefined ? nothingFound(scope) : folders.get(other.source)!.none();
}

/** The most recently active session may be in a database, or in a configured folder, that cannot be read. */
function withoutGuessing(scope: SearchScope): SearchScope {
  const warn = (fault: OpenBotError) => {
    if (fault.code === 'CONFIG_UNREADABLE') throw fault;
    if (fault.code === 'DATABASE_UNREADABLE') {
      const hint = [fault.hint, 'occ does not guess another session: name one by its id or path.'];
      throw new OpenBotError(fault.code, fault.message, {
        hint: hint.filter(Boolean).join(' '),
        cause: fault,
      });
    }
    scope.warn?.(fault);
  };
  return { ...scope, warn };
}

/** A session whose key leads to another now cannot be active, even if it changed last. Otherwise the order stays. */
function compareByKey(a: LocatedSession, b: LocatedSession): number {
  return Number(a.formerKey !== undefined) - Number(b.formerKey !== undefined);
}

function openFirst(
  sessions: readonly LocatedSession[],
  count: number,
  isMeant: (session: FoundSession) => boolean = () => true,
): FoundSession[] {
  const opened: FoundSession[] = [];
  for (const located of sessions) {
    if (opened.length === count) break;
    const session = located.missing ? undefined : storageOf(located).describe(located);
    if (session !== undefined && isMeant(session)) opened.push(session);
  }
  return opened;
}
