import { realpathSync } from 'node:fs';
import type { OpenBotError } from '@openbot/sessions';
import { inspectLock } from '@openbot/sessions/disk';
import { ambiguousSession } from '../errors.ts';
import { isGiven, listAgentIds, resolveAgents, resolveLayout } from '../layout/state-folder.ts';
import type { FoundSession, SearchScope, SourceName } from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import { locateAgentSessions } from '../storage/openclaw/agent-sessions.ts';
import { locatePiSessions } from '../storage/pi/pi-sessions.ts';
import { isInShellOf } from './agent-shell.ts';
import { matchCommand, STRENGTHS, type Strength } from './match-command.ts';
import { readOpenCalls, type SessionPlace } from './open-calls.ts';

/** The call was written just before its command began, so its session is among the newest. */
const MOST_LOOKED_AT = 200;
/** A call that waits this much longer than another was left behind by an agent that died. */
const LEFT_BEHIND_MS = 10 * 60_000;

/**
 * The session of the agent that runs this very command: its last message holds a call, not yet answered, with these
 * words. Undefined outside an agent's shell, and where no session has such a call.
 */
export async function findCallingSession(
  scope: SearchScope,
  sources: readonly SourceName[],
): Promise<LocatedSession | undefined> {
  const callers = await findCallers(scope, sources);
  // To guess between two would clean the wrong one.
  if (callers.length > 1) throw severalCallers(scope, callers);
  return callers[0];
}

/** Whether a session that was named is the one of the agent that runs this very command, or may be. */
export async function isCallingSession(scope: SearchScope, session: FoundSession): Promise<boolean> {
  const { source } = session;
  if (!isCallerKnownByCommand(source, scope)) return false;
  if ((await matchOpenCalls(scope, [session])).length === 0) return false;
  const callers = await findCallers({ ...scope, agentFlag: undefined, allAgents: undefined }, [source]);
  // A session that was named by its path may stand where no other is looked for.
  return callers.length === 0 || callers.some((caller) => isSameSession(caller, session));
}

/** The sessions with the call that fits best: more than one where nothing tells which of them is running. */
async function findCallers(scope: SearchScope, sources: readonly SourceName[]): Promise<LocatedSession[]> {
  if (scope.commandLine === undefined || scope.commandLine.length === 0) return [];
  const candidates = locateCallers(scope, sources).slice(0, MOST_LOOKED_AT);
  const matches = await matchOpenCalls(scope, candidates);
  const best = STRENGTHS.find((strength) => matches.some((match) => match.strength === strength));
  return dropLeftBehind(matches.filter(({ strength }) => strength === best).map(({ session }) => session));
}

/** Those of the sessions that have a call which fits this command, in their order. */
async function matchOpenCalls<Session extends SessionPlace>(
  { commandLine = [] }: SearchScope,
  sessions: readonly Session[],
): Promise<{ session: Session; strength: Strength }[]> {
  if (commandLine.length === 0) return [];
  const calls = await readOpenCalls(sessions);
  return sessions.flatMap((session) => {
    const strengths = (calls.get(session) ?? []).map((call) => matchCommand(call, commandLine));
    const strength = STRENGTHS.find((one) => strengths.includes(one));
    return strength === undefined ? [] : [{ session, strength }];
  });
}

/** Claude Code says itself which session its shell belongs to. */
function isCallerKnownByCommand(source: SourceName, scope: SearchScope): boolean {
  return source !== 'claude' && isInShellOf(source, scope);
}

/** Newest first. An agent may call occ on itself whichever agent it is, unless `--agent` says which. */
function locateCallers(scope: SearchScope, sources: readonly SourceName[]): LocatedSession[] {
  return sources
    .filter((source) => isCallerKnownByCommand(source, scope))
    .flatMap((source) => (source === 'pi' ? locatePiSessions(scope) : locateOfAgents(scope)))
    .filter(({ missing }) => !missing)
    .sort(compareByAge);
}

function locateOfAgents(scope: SearchScope): LocatedSession[] {
  const layout = resolveLayout({ ...scope, warn: undefined });
  const agentIds = isGiven(scope.agentFlag) ? resolveAgents(scope, layout) : listAgentIds(layout);
  return agentIds.flatMap((agentId) => {
    try {
      return locateAgentSessions({ layout, agentId });
    } catch {
      // The broken index or database of one agent does not keep another from cleaning itself.
      return [];
    }
  });
}

/** Of several sessions with such a call those whose agent still lives. */
function dropLeftBehind(matches: readonly LocatedSession[]): LocatedSession[] {
  const locked = matches.filter(isLocked);
  const alive = locked.length > 0 ? locked : matches;
  const newest = alive[0]?.updatedAt ?? 0;
  return alive.filter(({ updatedAt }) => newest - updatedAt < LEFT_BEHIND_MS);
}

/** An agent holds a lock beside its file; in a database it holds none. */
function isLocked({ path, storage }: LocatedSession): boolean {
  return storage === undefined && inspectLock(`${path}.lock`)?.held === true;
}

/** A database holds many. */
function isSameSession(a: SessionPlace, b: SessionPlace): boolean {
  if (a.storage !== b.storage || !isSameFile(a.path, b.path)) return false;
  return a.storage === undefined || a.sessionId === b.sessionId;
}

function isSameFile(a: string, b: string): boolean {
  try {
    return a === b || realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

function severalCallers({ commandLine = [] }: SearchScope, callers: readonly LocatedSession[]): OpenBotError {
  return ambiguousSession(
    commandLine.join(' '),
    callers.map(({ sessionId }) => sessionId),
    'Each of them seems to run this command; name the one that you mean by its id',
    callers.map(({ sessionId, entries: [entry] }) =>
      entry === undefined ? sessionId : `${sessionId} (${entry.key})`,
    ),
  );
}
