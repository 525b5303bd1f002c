import type { OpenBotError } from '@openbot/sessions';
import type { OpenclawLayout } from '@openbot/sessions/layout';
import { noSessions } from '../errors.ts';
import { listAgentIds, resolveAgents, resolveLayout } from '../layout/state-folder.ts';
import { type SearchScope, SOURCE_NAMES, type SourceName } from '../storage/contract/found-session.ts';
import { chooseSources, foldersOf, hasSource } from './source-choice.ts';

/** Why a search came to nothing: where it looked, and where there is something. */
export interface EmptySearch {
  readonly sources: readonly SourceName[];
  /** Of OpenClaw; none where it was not searched, or has no agents. */
  readonly agentIds: readonly string[];
  readonly folders: readonly string[];
  /** Whole sentences that help further; may be none. */
  readonly advice: readonly string[];
}

export function explainEmptySearch(scope: SearchScope): EmptySearch {
  const sources = chooseSources(scope);
  const layout = sources.includes('openclaw') ? resolveLayout(scope) : undefined;
  const agentIds = layout === undefined ? [] : resolveAgents(scope, layout);
  const others = SOURCE_NAMES.filter(
    (source) => !sources.includes(source) && hasSourceQuietly(source, scope),
  );
  return {
    sources,
    agentIds,
    folders: sources.flatMap((source) => foldersOf(source, scope, agentIds)),
    advice: [
      ...(layout === undefined ? [] : adviseOnAgents(layout, agentIds)),
      ...(others.length === 0
        ? []
        : [
            `There is a sessions folder of ${others.join(' and of ')}: use ${others.map((source) => `--source ${source}`).join(' or ')}.`,
          ]),
    ],
  };
}

export function nothingFound(scope: SearchScope): OpenBotError {
  const { sources, agentIds, folders, advice } = explainEmptySearch(scope);
  const hint = [`Looked in ${folders.join(', ')}.`, ...advice].join(' ');
  if (sources.length > 1 || agentIds.length === 0) {
    return noSessions(undefined, hint, `of ${sources.join(', ')}`);
  }
  const [agentId, ...others] = agentIds;
  if (others.length === 0) return noSessions(agentId, hint);
  return noSessions(undefined, hint, `for agents ${agentIds.map((id) => `'${id}'`).join(', ')}`);
}

function adviseOnAgents(layout: OpenclawLayout, agentIds: readonly string[]): string[] {
  const others = listAgentIds(layout).filter((id) => !agentIds.includes(id));
  if (others.length === 0) return [];
  return [`Other agents here: ${others.join(', ')}; use --agent <id> or --all-agents.`];
}

function hasSourceQuietly(source: SourceName, scope: SearchScope): boolean {
  try {
    // Another source is looked for where it would be without the flags that are for this one.
    return hasSource(source, {
      env: scope.env,
      cwd: scope.cwd,
      stateDirConfigured: scope.stateDirConfigured,
    });
  } catch {
    return false;
  }
}
