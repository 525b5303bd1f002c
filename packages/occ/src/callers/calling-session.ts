import { realpathSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { AmbiguousSessionError } from '../errors.ts';
import { isGiven } from '../layout/state-folder.ts';
import { SOURCES, sourceOf, storageOf } from '../storage/all.ts';
import type { SessionAddress } from '../storage/contract/finding.ts';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import type { SessionSource } from '../storage/contract/source.ts';
import { matchCommand, STRENGTHS, type Strength } from './match-command.ts';

/** The call was written just before its command started, so its session is among the newest. */
const MOST_SEARCHED = 200;
/** A call that waits this much longer than another was left by an agent that died. */
const LEFT_BEHIND_MS = 10 * 60_000;

/**
 * The session of the agent that runs this command: its last message holds a call, not yet answered, with these words.
 * Undefined outside an agent's shell, and where no session has such a call.
 */
export async function findCallingSession(
  scope: SearchScope,
  sources: readonly SessionSource[],
): Promise<LocatedSession | undefined> {
  const callers = await findCallers(scope, sources);
  // A wrong guess would clean the wrong session.
  if (callers.length > 1) throw severalCallers(scope, callers);
  return callers[0];
}

/** Whether a session that was named is, or may be, the one of the agent that runs this command. */
export async function isCallingSession(scope: SearchScope, session: FoundSession): Promise<boolean> {
  const source = sourceOf(session.source);
  if (!mayHaveCallers(source, scope)) return false;
  if ((await matchOpenCalls(scope, [session])).length === 0) return false;
  const callers = await findCallers({ ...scope, agentFlag: undefined, allAgents: undefined }, [source]);
  // A session that was named by its path may be where no search looks.
  return callers.length === 0 || callers.some((caller) => isSameSession(caller, session));
}

/** In an agent's shell the most recently active session may be of another agent: the session must be named. */
export function refuseToGuess(scope: SearchScope): void {
  const source = SOURCES.find((one) => isInShellOf(one, scope));
  if (source === undefined) return;
  throw new OpenBotError(
    'SESSION_NOT_NAMED',
    `This is a shell of ${source.title}, and the session that runs this command was not recognised: name the session`,
    { hint: `Give its id, key or path; 'occ list' shows the sessions. ${source.shell.advice}` },
  );
}

function isInShellOf({ shell }: SessionSource, { env }: SearchScope): boolean {
  return shell.variables.some((name) => isGiven(env[name]));
}

function mayHaveCallers(source: SessionSource, scope: SearchScope): boolean {
  return source.locateCallers !== undefined && isInShellOf(source, scope);
}

/** The sessions with the call that fits best: more than one where nothing shows which of them is running. */
async function findCallers(scope: SearchScope, sources: readonly SessionSource[]): Promise<LocatedSession[]> {
  if (scope.commandLine === undefined || scope.commandLine.length === 0) return [];
  const candidates = sources
    .filter((source) => mayHaveCallers(source, scope))
    .flatMap((source) => source.locateCallers!(scope))
    .filter(({ missing }) => !missing)
    .sort(compareByAge)
    .slice(0, MOST_SEARCHED);
  const matches = await matchOpenCalls(scope, candidates);
  const best = STRENGTHS.find((strength) => matches.some((match) => match.strength === strength));
  return dropLeftBehind(matches.filter(({ strength }) => strength === best).map(({ session }) => session));
}

/** The sessions that have a call which fits this command, in their order. */
async function matchOpenCalls<Session extends SessionAddress>(
  { commandLine = [] }: SearchScope,
  sessions: readonly Session[],
): Promise<{ session: Session; strength: Strength }[]> {
  if (commandLine.length === 0) return [];
  const calls = new Map<Session, unknown[]>();
  for (const [storage, own] of Map.groupBy(sessions, storageOf)) {
    for (const [session, open] of (await storage.readOpenCalls?.(own)) ?? []) calls.set(session, open);
  }
  return sessions.flatMap((session) => {
    const strengths = (calls.get(session) ?? []).map((call) => matchCommand(call, commandLine));
    const strength = STRENGTHS.find((one) => strengths.includes(one));
    return strength === undefined ? [] : [{ session, strength }];
  });
}

/** Of several sessions with such a call those whose agent is still alive. */
function dropLeftBehind(matches: readonly LocatedSession[]): LocatedSession[] {
  const locked = matches.filter((session) => storageOf(session).isLocked?.(session));
  const alive = locked.length > 0 ? locked : matches;
  const newest = alive[0]?.updatedAt ?? 0;
  return alive.filter(({ updatedAt }) => newest - updatedAt < LEFT_BEHIND_MS);
}

function isSameSession(a: SessionAddress, b: SessionAddress): boolean {
  const storage = storageOf(a);
  if (storage !== storageOf(b) || !isSameFile(a.path, b.path)) return false;
  return storage.hasOwnFile || a.sessionId === b.sessionId;
}

function isSameFile(a: string, b: string): boolean {
  try {
    return a === b || realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

function severalCallers({ commandLine = [] }: SearchScope, callers: readonly LocatedSession[]): OpenBotError {
  return new AmbiguousSessionError(
    commandLine.join(' '),
    callers.map(({ sessionId }) => sessionId),
    'Each of them seems to run this command; name the one that you mean by its id',
    callers.map(({ sessionId, entries: [entry] }) =>
      entry === undefined ? sessionId : `${sessionId} (${entry.key})`,
    ),
  );
}
