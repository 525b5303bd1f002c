import { inspectLock } from '@openbot/sessions';
import { AmbiguousSessionError } from '../errors.ts';
import type { SearchPlace, SourceName } from './found-session.ts';
import { compareByAge, type LocatedSession } from './located-session.ts';
import { matchCommand, STRENGTHS, type Strength } from './match-command.ts';
import { readOpenCalls } from './open-calls.ts';
import { locateOpenclawSessions } from './openclaw-sessions.ts';
import { locatePiSessions } from './pi-sessions.ts';
import {
  isGiven,
  listAgentIds,
  resolveAgents,
  resolveStateFolder,
  sessionsFolderOf,
} from './state-folder.ts';

/** The call was written just before its command began, so its session is among the newest. */
const MOST_LOOKED_AT = 200;
/** A call that waits this much longer than another was left behind by an agent that died. */
const LEFT_BEHIND_MS = 10 * 60_000;

/**
 * The session of the agent that runs this very command: its last message holds a call, not yet answered, with these
 * words. Undefined outside an agent's shell, and where no session has such a call.
 */
export async function findCallingSession(
  place: SearchPlace,
  sources: readonly SourceName[],
): Promise<LocatedSession | undefined> {
  const { commandLine } = place;
  if (commandLine === undefined || commandLine.length === 0) return undefined;
  const callers = locateCallers(place, sources);
  const byStrength = new Map<Strength, LocatedSession[]>();
  for (const session of callers.slice(0, MOST_LOOKED_AT)) {
    const calls = await readOpenCalls(session.path);
    const strength = strongest(calls.map((call) => matchCommand(call, commandLine)));
    if (strength !== undefined) byStrength.set(strength, [...(byStrength.get(strength) ?? []), session]);
  }
  const matches = STRENGTHS.map((strength) => byStrength.get(strength)).find((found) => found !== undefined);
  return matches === undefined ? undefined : chooseOne(matches, commandLine);
}

/** Newest first. An agent may call occ on itself whichever agent it is, unless `--agent` says which. */
function locateCallers(place: SearchPlace, sources: readonly SourceName[]): LocatedSession[] {
  const { OPENCLAW_SHELL, PI_CODING_AGENT } = place.env;
  return [
    ...(isGiven(OPENCLAW_SHELL) && sources.includes('openclaw') ? locateOfAgents(place) : []),
    ...(isGiven(PI_CODING_AGENT) && sources.includes('pi') ? locatePiSessions(place) : []),
  ]
    .filter(({ missing }) => !missing)
    .sort(compareByAge);
}

function locateOfAgents(place: SearchPlace): LocatedSession[] {
  const stateFolder = resolveStateFolder(place);
  const agentIds = isGiven(place.agentFlag) ? resolveAgents(place, stateFolder) : listAgentIds(stateFolder);
  return agentIds.flatMap((agentId) => {
    try {
      return locateOpenclawSessions(sessionsFolderOf(stateFolder, agentId), agentId);
    } catch {
      // The broken index of one agent does not keep another from cleaning itself.
      return [];
    }
  });
}

function strongest(strengths: readonly (Strength | undefined)[]): Strength | undefined {
  return STRENGTHS.find((strength) => strengths.includes(strength));
}

/** Of several sessions with such a call the one whose agent still lives; to guess between two would clean the wrong one. */
function chooseOne(matches: readonly LocatedSession[], commandLine: readonly string[]): LocatedSession {
  const locked = matches.filter(({ path }) => inspectLock(`${path}.lock`)?.held === true);
  const alive = locked.length > 0 ? locked : matches;
  const newest = alive[0]!;
  const running = alive.filter(({ updatedAt }) => newest.updatedAt - updatedAt < LEFT_BEHIND_MS);
  if (running.length === 1) return newest;
  throw new AmbiguousSessionError(
    commandLine.join(' '),
    running.map(({ sessionId, entries: [entry] }) =>
      entry === undefined ? sessionId : `${sessionId} (${entry.key})`,
    ),
  );
}
