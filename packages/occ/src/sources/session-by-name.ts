import { parseAgentSessionKey } from '@openbot/sessions';
import { AmbiguousSessionError, SessionNotFoundError } from '../errors.ts';
import { findElsewhere } from './elsewhere.ts';
import type { FoundSession, SearchPlace } from './found-session.ts';
import { locateSessions } from './locate-sessions.ts';
import type { LocatedSession } from './located-session.ts';
import { matchName } from './match-name.ts';
import { openFound } from './open-found.ts';
import { chooseSources } from './source-choice.ts';
import { listAgentIds, resolveStateFolder } from './state-folder.ts';

const MOST_MATCHES_SHOWN = 10;

/** By full id, session key, label, title or unique beginning of an id. */
export function findSessionByName(place: SearchPlace, name: string): FoundSession {
  const where = placeOfKey(place, name);
  const located = locateSessions(where);
  const matches = pick(located, name);
  const present = matches.filter(({ missing }) => !missing);
  if (present.length > 1) throw ambiguous(name, present);
  const session = present[0] === undefined ? undefined : openFound(present[0]);
  if (session !== undefined) return session;
  const [gone] = matches;
  throw new SessionNotFoundError(
    name,
    gone === undefined
      ? findElsewhere(where, name)
      : `The index names it, but its transcript ${gone.path} is gone`,
  );
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
function placeOfKey(place: SearchPlace, name: string): SearchPlace {
  const agentId = parseAgentSessionKey(name)?.agentId;
  if (agentId === undefined || !chooseSources(place).includes('openclaw')) return place;
  const isThere = listAgentIds(resolveStateFolder(place)).includes(agentId);
  return isThere ? { ...place, agentFlag: agentId, allAgents: false, source: 'openclaw' } : place;
}

function ambiguous(name: string, matches: readonly LocatedSession[]): AmbiguousSessionError {
  const sources = new Set(matches.map(({ source }) => source));
  const agents = new Set(matches.map(({ agentId }) => agentId));
  const ids = matches.map(({ sessionId }) => sessionId);
  const shown = matches.slice(0, MOST_MATCHES_SHOWN).map((match) => {
    const isRepeated = ids.filter((id) => id === match.sessionId).length > 1;
    const notes = [
      match.entries[0]?.key,
      sources.size > 1 ? match.source : undefined,
      agents.size > 1 && match.entries.length === 0 && match.agentId !== null ? match.agentId : undefined,
      isRepeated ? match.path : undefined,
    ].filter((note) => note !== undefined);
    return notes.length === 0 ? match.sessionId : `${match.sessionId} (${notes.join(', ')})`;
  });
  const rest = matches.length - shown.length;
  return new AmbiguousSessionError(
    name,
    rest === 0 ? shown : [...shown, `and ${rest} more`],
    adviseOn(name, matches),
  );
}

/** What tells such sessions apart; undefined where more of the id does. */
function adviseOn(name: string, matches: readonly LocatedSession[]): string | undefined {
  const count = (values: unknown[]) => new Set(values).size;
  if (count(matches.map(({ sessionId }) => sessionId)) === 1) {
    if (count(matches.map(({ source }) => source)) > 1)
      return 'Say whose it is with --source, or give its path';
    if (count(matches.map(({ agentId }) => agentId)) > 1)
      return 'Say whose it is with --agent, or give its path';
    return 'They have the same id: give the path of the one that you mean';
  }
  const wanted = name.toLowerCase();
  const isBeginning = ({ sessionId, stem }: LocatedSession) =>
    sessionId.toLowerCase().startsWith(wanted) || stem.toLowerCase().startsWith(wanted);
  return matches.every(isBeginning) ? undefined : 'Give the id of the one that you mean';
}
