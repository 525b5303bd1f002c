import { type OpenBotError, parseAgentSessionKey } from '@openbot/sessions';
import { sessionNotFound } from '../errors.ts';
import { listAgentIds, resolveLayout } from '../layout/state-folder.ts';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import type { LocatedSession } from '../storage/contract/located-session.ts';
import { ambiguousName } from './ambiguous-name.ts';
import { findElsewhere } from './elsewhere.ts';
import { adviseOnLeftBackup } from './left-backup.ts';
import { locateSessions } from './locate-sessions.ts';
import { matchName } from './match-name.ts';
import { openFound } from './open-found.ts';
import { chooseSources } from './source-choice.ts';

/** By full id, session key, label, title or unique beginning of an id. */
export function findSessionByName(scope: SearchScope, name: string): FoundSession {
  const where = placeOfKey(scope, name);
  const faults: OpenBotError[] = [];
  const located = locateSessions({ ...where, warn: (fault) => void faults.push(fault) });
  const matches = pick(located, name);
  const present = matches.filter(({ missing }) => !missing);
  if (present.length > 1) throw ambiguousName(name, present);
  const session = present[0] === undefined ? undefined : openFound(present[0]);
  if (session !== undefined) {
    for (const fault of faults) scope.warn?.(fault);
    return session;
  }
  const [gone] = matches;
  // What could not be read may be what knows the name.
  if (gone === undefined && faults[0] !== undefined) throw faults[0];
  throw sessionNotFound(
    name,
    gone === undefined
      ? (findElsewhere(where, name) ?? adviseOnLeftBackup(where, name))
      : [describeGone(gone), adviseOnLeftBackup(where, gone.stem)].filter(Boolean).join('. '),
  );
}

function describeGone({ storage, path }: LocatedSession): string {
  return storage === 'sqlite'
    ? `The database ${path} names it, but has no lines of it`
    : `The index names it, but its transcript ${path} is gone`;
}

function pick(located: readonly LocatedSession[], name: string): LocatedSession[] {
  const matches = matchName(located, name);
  if (matches.length > 0 || !located.some(({ source }) => source === 'pi')) return matches;
  // A file of pi whose name was changed is known by its header.
  return matchName(located.map(nameByHeader), name);
}

function nameByHeader(session: LocatedSession): LocatedSession {
  if (session.source !== 'pi') return session;
  return { ...session, sessionId: openFound(session)?.sessionId ?? session.sessionId };
}

/** The key of another agent is looked up in that agent's folder. */
function placeOfKey(scope: SearchScope, name: string): SearchScope {
  const agentId = parseAgentSessionKey(name)?.agentId;
  if (agentId === undefined || !chooseSources(scope).includes('openclaw')) return scope;
  const isThere = listAgentIds(resolveLayout({ ...scope, warn: undefined })).includes(agentId);
  return isThere ? { ...scope, agentFlag: agentId, allAgents: false, source: 'openclaw' } : scope;
}
