import { dirname } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { refuseToGuess } from '../callers/agent-shell.ts';
import { findCallingSession } from '../callers/calling-session.ts';
import { noSessions, sessionNotFound } from '../errors.ts';
import { isGiven } from '../layout/state-folder.ts';
import {
  isOfWorkingFolder,
  locateClaudeSessions,
  resolveProjectFolder,
  resolveProjectsFolder,
} from '../storage/claude/claude-sessions.ts';
import type {
  FoundSession,
  ResolvedSession,
  SearchScope,
  SourceName,
} from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import { locateSessions } from './locate-sessions.ts';
import { nothingFound } from './no-sessions.ts';
import { openFound } from './open-found.ts';
import { chooseSources, demandedSource } from './source-choice.ts';

/**
 * The session that the caller is in: the one that Claude Code names in its shell, the one of an agent that calls this
 * command, else, outside of an agent's shell, the most recently active one; of
 * Claude Code's, that of the working folder.
 */
export async function findCurrentSession(scope: SearchScope): Promise<ResolvedSession> {
  const sources = chooseSources(scope);
  const ownId = scope.env.CLAUDE_CODE_SESSION_ID;
  if (isGiven(ownId) && sources.includes('claude')) {
    return { session: findClaudeSession(scope, ownId.trim()), foundBy: 'environment' };
  }
  const calling = await findCallingSession(scope, addShell(scope, sources));
  const session = calling === undefined ? undefined : openFound(calling);
  if (session !== undefined) return { session, foundBy: 'calling-command' };
  refuseToGuess(scope);
  const located = locateSessions(withoutGuessing(scope)).sort(compareByKey);
  const project = resolveProjectFolder(scope);
  const newest = openFirst(
    located.filter(({ source, path }) => source !== 'claude' || dirname(path) === project),
    (found) => found.source !== 'claude' || isOfWorkingFolder(found, scope),
  );
  if (newest === undefined)
    throw located.some(({ source }) => source === 'claude') ? noneOfProject(scope) : nothingFound(scope);
  return { session: newest, foundBy: 'most-recent' };
}

/** In a shell of pi its sessions come into question too, unless the caller asked for others: a call there is no guess. */
function addShell(scope: SearchScope, sources: readonly SourceName[]): readonly SourceName[] {
  const isAsked = scope.source !== undefined || demandedSource(scope) !== undefined;
  return isAsked || sources.includes('pi') ? sources : [...sources, 'pi'];
}

/** The most recently active session may be in a database, or where a configuration says, that cannot be read. */
function withoutGuessing(scope: SearchScope): SearchScope {
  const warn = (fault: OpenBotError) => {
    if (fault.code === 'CONFIG_UNREADABLE') throw fault;
    if (fault.code === 'DATABASE_UNREADABLE') {
      const hint = [fault.hint, 'No session is guessed beside it: name one by its id or path.'];
      throw new OpenBotError(fault.code, fault.message, {
        hint: hint.filter(Boolean).join(' '),
        cause: fault,
      });
    }
    scope.warn?.(fault);
  };
  return { ...scope, warn };
}

/** A session whose key leads to another now cannot be active, whatever was done to it since. The order stays otherwise. */
function compareByKey(a: LocatedSession, b: LocatedSession): number {
  return Number(a.formerKey !== undefined) - Number(b.formerKey !== undefined);
}

function findClaudeSession(scope: SearchScope, sessionId: string): FoundSession {
  const own = locateClaudeSessions(scope).filter((session) => session.sessionId === sessionId);
  const session = openFirst(own.sort(compareByAge));
  if (session !== undefined) return session;
  throw sessionNotFound(
    sessionId,
    `CLAUDE_CODE_SESSION_ID names it, but it is not in ${resolveProjectsFolder(scope)}; name a session, or choose another --source`,
  );
}

/** As with `claude --continue`, a session that was not named is one of the working folder. */
function noneOfProject(scope: SearchScope): OpenBotError {
  return noSessions(
    undefined,
    `Looked in ${resolveProjectFolder(scope)}. Claude Code has sessions of other folders: 'occ list --source claude' shows them; name one by its id, its title or its path`,
    `of claude in ${scope.cwd}`,
  );
}

function openFirst(
  sessions: readonly LocatedSession[],
  isMeant: (session: FoundSession) => boolean = () => true,
): FoundSession | undefined {
  for (const located of sessions) {
    const session = located.missing ? undefined : openFound(located);
    if (session !== undefined && isMeant(session)) return session;
  }
  return undefined;
}
