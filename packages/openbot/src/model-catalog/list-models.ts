import type { Environment } from '@openbot/sessions/layout';
import { listAgentIds, resolveAgentSettings, resolveDefaultAgentId } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { indexModels, type ModelRef } from '../config/models.ts';
import type { Cooldown } from '../cooldowns/contract.ts';
import { chooseRunnerName, type RunnerName } from '../runner-kinds.ts';
import { loadRunner, loadRunners } from '../runners/all.ts';
import type { ModelFacts, Runner } from '../runners/contract.ts';
import { nameOfModel } from '../turn/failover/list-candidates.ts';
import { isCooling } from '../turn/failover/next-cooldown.ts';

/** A model as people are shown it. */
export interface ListedModel extends Partial<ModelFacts> {
  /** `provider/model` */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly aliases: readonly string[];
  /** The default agent asks it first. */
  readonly isDefault: boolean;
  /** Agents that ask it first, and those that ask it where another one failed. */
  readonly agents: readonly string[];
  readonly fallbackOf: readonly string[];
  /** False: no runner has it. */
  readonly isKnown: boolean;
  /** It failed a short time ago, and others are asked first. */
  readonly cooldown?: { readonly failure: string; readonly until: number };
}

export interface CatalogPlace {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly env: Environment;
}

interface Named {
  readonly ref: ModelRef;
  readonly aliases: Set<string>;
  readonly agents: string[];
  readonly fallbackOf: string[];
  contextWindow?: number;
  /** Of the first agent that names it. */
  runner?: RunnerName;
}

/** Those that the configuration names, the default one first; with `all`, also those that runners know by name. */
export async function listModels(
  place: CatalogPlace,
  options: {
    readonly all?: boolean;
    /** Of this provider alone. */
    readonly provider?: string;
    /** Named by these agents, or by none. By any when absent. */
    readonly agentIds?: readonly string[];
    readonly cooldowns: ReadonlyMap<string, Cooldown>;
    readonly now: number;
  },
): Promise<readonly ListedModel[]> {
  const named = collectNamed(place, options.agentIds);
  const standard = [...named.keys()][0];
  if (options.all) {
    for (const runner of await loadRunners(place)) {
      for (const ref of runner.listModels?.() ?? []) add(named, ref);
    }
  }
  const runners = new Map<RunnerName, Promise<Runner>>();
  const wanted = [...named].filter(
    ([, { ref }]) => options.provider === undefined || ref.provider === options.provider,
  );
  return Promise.all(
    wanted.map(async ([key, one]): Promise<ListedModel> => {
      const { provider, model } = one.ref;
      const runnerName = chooseRunnerName(provider, one.runner);
      const loading = runners.get(runnerName) ?? loadRunner(provider, place, one.runner);
      runners.set(runnerName, loading);
      const runner = await loading;
      const choice = runner.describeModel(provider, model);
      // A script that cannot be read is still a model.
      const facts = await runner.inspectModel?.(provider, model).catch(() => undefined);
      const cooldown = options.cooldowns.get(nameOfModel(one.ref));
      return {
        name: nameOfModel(one.ref),
        provider,
        model,
        aliases: [...one.aliases],
        isDefault: key === standard,
        agents: one.agents,
        fallbackOf: one.fallbackOf,
        isKnown: choice !== undefined,
        ...facts,
        contextWindow: one.contextWindow ?? facts?.contextWindow ?? choice?.contextWindow,
        cooldown:
          cooldown !== undefined && isCooling(cooldown, options.now)
            ? { failure: cooldown.failure, until: cooldown.until }
            : undefined,
      };
    }),
  );
}

/** By name in lower case; that of the default agent is the first. */
function collectNamed(
  { config, stateDir, env }: CatalogPlace,
  agentIds: readonly string[] | undefined,
): Map<string, Named> {
  const named = new Map<string, Named>();
  const standard = resolveDefaultAgentId(config);
  const others = listAgentIds(config, stateDir).filter((id) => id !== standard);
  for (const agentId of [standard, ...others].filter((id) => agentIds?.includes(id) ?? true)) {
    const agent = resolveAgentSettings({ config, agentId, stateDir, env });
    const index = indexModels(agent);
    for (const [at, ref] of index.models.entries()) {
      const one = add(named, ref);
      if (one.agents.length + one.fallbackOf.length === 0) one.runner ??= agent.runner;
      one.contextWindow ??= index.contextWindowOf(ref);
      for (const alias of index.aliasIndex.byKey.get(keyOf(ref)) ?? []) one.aliases.add(alias);
      if (at === 0) one.agents.push(agentId);
      if (index.fallbacks.some((other) => keyOf(other) === keyOf(ref))) one.fallbackOf.push(agentId);
    }
  }
  for (const [name, { models = [] }] of Object.entries(config.models?.providers ?? {})) {
    for (const { id } of models) add(named, { provider: name.toLowerCase(), model: id });
  }
  return named;
}

function add(named: Map<string, Named>, ref: ModelRef): Named {
  const one = named.get(keyOf(ref)) ?? { ref, aliases: new Set(), agents: [], fallbackOf: [] };
  named.set(keyOf(ref), one);
  return one;
}

function keyOf(ref: ModelRef): string {
  return nameOfModel(ref).toLowerCase();
}
