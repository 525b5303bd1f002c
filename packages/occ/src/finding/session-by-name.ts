import type { OpenBotError } from '@openbot/sessions';
import { SessionNotFoundError } from '../errors.ts';
import { SOURCES, storageOf } from '../storage/all.ts';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import type { LocatedSession } from '../storage/contract/located-session.ts';
import type { SessionSource } from '../storage/contract/source.ts';
import { ambiguousName } from './ambiguous-name.ts';
import { adviseOnLeftBackup } from './left-backup.ts';
import { listOffered, locateSessions } from './locate-sessions.ts';
import { matchName } from './match-name.ts';
import { chooseSources } from './source-choice.ts';

/** By full id, session key, label, title or unique beginning of an id. */
export async function findSessionByName(scope: SearchScope, name: string): Promise<FoundSession> {
  const searched = scopeOfKey(scope, name);
  const faults: OpenBotError[] = [];
  const located = locateSessions({ ...searched, warn: (fault) => void faults.push(fault) });
  const matches = pick(located, name);
  const present = matches.filter(({ missing }) => !missing);
  if (present.length > 1) {
    if (scope.choose === undefined) throw ambiguousName(name, present);
    const described = present.flatMap((located) => storageOf(located).describe(located) ?? []);
    const offered = listOffered(scope, described);
    return scope.choose(offered.length === 0 ? described : offered);
  }
  const session = present[0] === undefined ? undefined : storageOf(present[0]).describe(present[0]);
  if (session !== undefined) {
    for (const fault of faults) scope.warn?.(fault);
    return session;
  }
  const [gone] = matches;
  // The index or database that cannot be read may be the one that has the session.
  if (gone === undefined && faults[0] !== undefined) throw faults[0];
  throw new SessionNotFoundError(
    name,
    gone === undefined
      ? (adviseOnOtherScopes(searched, name) ?? adviseOnLeftBackup(searched, name))
      : [storageOf(gone).explainMissing?.(gone), adviseOnLeftBackup(searched, gone.stem)]
          .filter(Boolean)
          .join('. '),
  );
}

/** The key of another agent is searched for in that agent's folder. */
function scopeOfKey(scope: SearchScope, name: string): SearchScope {
  for (const source of chooseSources(scope)) {
    const narrower = source.scopeOfKey?.(scope, name);
    if (narrower !== undefined) return narrower;
  }
  return scope;
}

function pick(located: readonly LocatedSession[], name: string): LocatedSession[] {
  const matches = matchName(located, name);
  if (matches.length > 0 || !located.some((session) => storageOf(session).readOwnId)) return matches;
  // A transcript may have been renamed.
  return matchName(located.map(withOwnId), name);
}

function withOwnId(session: LocatedSession): LocatedSession {
  const sessionId = storageOf(session).readOwnId?.(session);
  return sessionId === undefined ? session : { ...session, sessionId };
}

/** A hint where other agents or sources have a session of that name; undefined where none has. */
function adviseOnOtherScopes(scope: SearchScope, name: string): string | undefined {
  const searched = chooseSources(scope);
  const hints = SOURCES.flatMap((source) => {
    const isSearched = searched.includes(source);
    const hasAgents = source.agentIds !== undefined;
    if (isSearched && !hasAgents) return [];
    return findOwners(source, scope, name).map((agentId) => adviseOnOwner(source, agentId, isSearched));
  });
  if (hints.length === 0) return undefined;
  const without = scope.stateDirFlag === undefined ? '' : ' (and leave out --state-dir)';
  return hints.map((hint) => (hint.includes('--source') ? hint + without : hint)).join('; ');
}

/** The agents that have such a session; null for a source without agents. */
function findOwners(source: SessionSource, scope: SearchScope, name: string): (string | null)[] {
  const hasAgents = source.agentIds !== undefined;
  try {
    const all = locateSessions({
      ...scope,
      source: source.name,
      agentFlag: undefined,
      allAgents: hasAgents,
      stateDirFlag: hasAgents ? scope.stateDirFlag : undefined,
      warn: undefined,
    });
    const matches = matchName(all, name).filter(({ missing }) => !missing);
    return [...new Set(matches.map(({ agentId }) => agentId))];
  } catch {
    // The search that failed is the caller's; this one only adds to its hint.
    return [];
  }
}

function adviseOnOwner({ name, title }: SessionSource, agentId: string | null, isSearched: boolean): string {
  if (agentId === null) return `It is a session of ${title}: add --source ${name}`;
  const flags = `${isSearched ? '' : `--source ${name} `}--agent ${agentId}`;
  return `It is a session of agent '${agentId}': add ${flags}`;
}
