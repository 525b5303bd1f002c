import { type SearchScope, SOURCE_NAMES } from '../storage/contract/found-session.ts';
import { locateSessions } from './locate-sessions.ts';
import { matchName } from './match-name.ts';
import { chooseSources } from './source-choice.ts';

/** Where a session of that name is, although not where it was looked for: a hint, or undefined when it is nowhere. */
export function findElsewhere(scope: SearchScope, name: string): string | undefined {
  const sources = chooseSources(scope);
  const hints = SOURCE_NAMES.flatMap((source) => {
    const isHere = sources.includes(source);
    if (isHere && source !== 'openclaw') return [];
    const agents = agentsThatKnow(
      { ...scope, source, agentFlag: undefined, allAgents: source === 'openclaw' },
      name,
    );
    return agents.map((agentId) => describe(source, agentId, isHere));
  });
  if (hints.length === 0) return undefined;
  const without = scope.stateDirFlag === undefined ? '' : ' (and leave out --state-dir)';
  return hints.map((hint) => (hint.includes('--source') ? hint + without : hint)).join('; ');
}

/** The agents that have such a session; null stands for a source without agents. */
function agentsThatKnow(scope: SearchScope, name: string): (string | null)[] {
  try {
    const quiet = { ...scope, warn: undefined };
    const here = scope.source === 'openclaw' ? quiet : { ...quiet, stateDirFlag: undefined };
    const matches = matchName(locateSessions(here), name).filter(({ missing }) => !missing);
    return [...new Set(matches.map(({ agentId }) => agentId))];
  } catch {
    // What cannot be read there is no reason to fail here.
    return [];
  }
}

function describe(source: string, agentId: string | null, isHere: boolean): string {
  if (agentId === null) return `It is a session of ${source}: add --source ${source}`;
  const flags = `${isHere ? '' : `--source ${source} `}--agent ${agentId}`;
  return `It is a session of agent '${agentId}': add ${flags}`;
}
