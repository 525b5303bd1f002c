import { locateClaudeSessions } from './claude-sessions.ts';
import type { SearchPlace, SourceName } from './found-session.ts';
import { compareByAge, type LocatedSession } from './located-session.ts';
import { locateOpenclawSessions } from './openclaw-sessions.ts';
import { locatePiSessions } from './pi-sessions.ts';
import { chooseSources } from './source-choice.ts';
import { resolveAgents, resolveStateFolder, sessionsFolderOf } from './state-folder.ts';

/** Every session of the place, newest first. Nothing but names, states of files and the index is read. */
export function locateSessions(place: SearchPlace): LocatedSession[] {
  return chooseSources(place)
    .flatMap((source) => locateInSource(source, place))
    .sort(compareByAge);
}

function locateInSource(source: SourceName, place: SearchPlace): LocatedSession[] {
  switch (source) {
    case 'openclaw': {
      const stateFolder = resolveStateFolder(place);
      return resolveAgents(place, stateFolder).flatMap((agentId) =>
        locateOpenclawSessions(sessionsFolderOf(stateFolder, agentId), agentId),
      );
    }
    case 'pi':
      return locatePiSessions(place);
    case 'claude':
      return locateClaudeSessions(place);
  }
}
