import type { OpenBotError } from '@openbot/sessions';
import { NoSessionsError } from '../errors.ts';
import { SOURCES } from '../storage/all.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import type { SessionSource } from '../storage/contract/source.ts';
import { chooseSources } from './source-choice.ts';

/** Why a search found nothing: where it looked, and where there may be sessions. */
export interface EmptySearch {
  readonly searched: readonly SearchedSource[];
  readonly paths: readonly string[];
  /** Whole sentences that help further; may be none. */
  readonly advice: readonly string[];
}

interface SearchedSource {
  readonly source: SessionSource;
  /** None for a source that has no agents, in general or in this scope. */
  readonly agentIds: readonly string[];
}

export function explainEmptySearch(scope: SearchScope): EmptySearch {
  const sources = chooseSources(scope);
  const others = SOURCES.filter((source) => !sources.includes(source) && mayExist(source, scope));
  return {
    searched: sources.map((source) => ({ source, agentIds: source.agentIds?.(scope) ?? [] })),
    paths: sources.flatMap((source) => source.searchedPaths(scope)),
    advice: [
      ...sources.flatMap((source) => source.adviseOnNone?.(scope) ?? []),
      ...(others.length === 0
        ? []
        : [
            `There may be sessions of ${others.map(({ title }) => title).join(' or ')}: use ${others.map(({ name }) => `--source ${name}`).join(' or ')}.`,
          ]),
    ],
  };
}

export function nothingFound(scope: SearchScope): OpenBotError {
  const { searched, paths, advice } = explainEmptySearch(scope);
  const hint = [`Looked in ${paths.join(', ')}.`, ...advice].join(' ');
  const agentIds = searched.flatMap((one) => one.agentIds);
  if (searched.length > 1 || agentIds.length === 0) {
    return new NoSessionsError('', hint, `for ${searched.map(({ source }) => source.title).join(', ')}`);
  }
  const [agentId, ...others] = agentIds;
  if (others.length === 0) return new NoSessionsError(agentId!, hint);
  return new NoSessionsError('', hint, `for agents ${agentIds.map((id) => `'${id}'`).join(', ')}`);
}

function mayExist(source: SessionSource, { env, cwd, stateDirConfigured }: SearchScope): boolean {
  try {
    // The flags are for the sources that were searched.
    return source.exists({ env, cwd, stateDirConfigured });
  } catch {
    return false;
  }
}
