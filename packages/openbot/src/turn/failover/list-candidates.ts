import type { Cooldown } from '../../cooldowns/contract.ts';
import type { ModelChoice, Runner } from '../../runners/contract.ts';
import { isCooling } from './next-cooldown.ts';

/** A model and what runs it. */
export interface ModelCandidate {
  readonly model: ModelChoice;
  /** Undefined for a model that no runner has. */
  readonly runner: Runner | undefined;
}

/** Which models a run may use. */
export interface ModelsOfRun {
  /** What the session or its agent asks for. */
  readonly wanted: ModelChoice;
  /** Tried in this order; at least one. */
  readonly candidates: readonly ModelCandidate[];
  /** Those that are passed over because they failed a short time ago. */
  readonly resting: readonly { readonly name: string; readonly cooldown: Cooldown }[];
  /** Names of models that have a cooldown, also one whose time is over. */
  readonly failedBefore: ReadonlySet<string>;
}

/** Models that failed a short time ago are passed over, unless all did. */
export function listCandidates(
  all: readonly [ModelCandidate, ...ModelCandidate[]],
  cooldowns: ReadonlyMap<string, Cooldown>,
  now: number,
): ModelsOfRun {
  const coolingOf = ({ model }: ModelCandidate) => {
    const cooldown = cooldowns.get(nameOfModel(model));
    return cooldown !== undefined && isCooling(cooldown, now) ? cooldown : undefined;
  };
  const ready = all.filter((one) => coolingOf(one) === undefined);
  const wanted = all[0].model;
  const failedBefore = new Set(cooldowns.keys());
  // One that no runner has is no help.
  if (!ready.some(({ runner }) => runner !== undefined)) {
    return { wanted, candidates: all, resting: [], failedBefore };
  }
  const resting = all.flatMap((one) => {
    const cooldown = coolingOf(one);
    return cooldown === undefined ? [] : [{ name: nameOfModel(one.model), cooldown }];
  });
  return { wanted, candidates: ready, resting, failedBefore };
}

/** The same without those that failed in a run just before, unless all did. */
export function passOver(
  models: ModelsOfRun,
  failed: readonly { readonly name: string; readonly failure?: string; readonly until?: number }[],
  now: number,
): ModelsOfRun {
  const names = new Set(failed.map(({ name }) => name));
  const candidates = models.candidates.filter(({ model }) => !names.has(nameOfModel(model)));
  if (candidates.length === 0 || names.size === 0) return models;
  const rested = failed.map(({ name, failure = 'failed', until = now }) => ({
    name,
    cooldown: { failure, failures: 1, since: now, until },
  }));
  return {
    ...models,
    candidates,
    resting: [...models.resting, ...rested],
    failedBefore: new Set([...models.failedBefore, ...names]),
  };
}

export function nameOfModel({ provider, model }: Pick<ModelChoice, 'provider' | 'model'>): string {
  return `${provider}/${model}`;
}
