import type { OpenBotError } from '@openbot/sessions';
import { resolveAgents, resolveLayout } from '../layout/state-folder.ts';
import { locateClaudeSessions } from '../storage/claude/claude-sessions.ts';
import type { SearchScope, SourceName } from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import { locateAgentSessions } from '../storage/openclaw/agent-sessions.ts';
import { locatePiSessions } from '../storage/pi/pi-sessions.ts';
import { chooseSources } from './source-choice.ts';

/**
 * Every session of the place, newest first. Nothing but names, states of files and what stands in indexes and databases
 * of the sessions is read. Those that cannot be read are warned of; where nothing is found beside them, it is an error.
 * @param opened how many of the newest the caller will open
 */
export function locateSessions(scope: SearchScope, opened = 0): LocatedSession[] {
  const faults: OpenBotError[] = [];
  const search = { ...scope, warn: (fault: OpenBotError) => void faults.push(fault) };
  const located = chooseSources(scope)
    .flatMap((source) => locateInSource(source, search, opened))
    .sort(compareByAge);
  if (located.length === 0 && faults[0] !== undefined) throw faults[0];
  for (const fault of faults) scope.warn?.(fault);
  return located;
}

function locateInSource(source: SourceName, scope: SearchScope, opened: number): LocatedSession[] {
  switch (source) {
    case 'openclaw': {
      const layout = resolveLayout(scope);
      return resolveAgents(scope, layout).flatMap((agentId) =>
        locateAgentSessions({ layout, agentId, opened, warn: scope.warn }),
      );
    }
    case 'pi':
      return locatePiSessions(scope);
    case 'claude':
      return locateClaudeSessions(scope);
  }
}
