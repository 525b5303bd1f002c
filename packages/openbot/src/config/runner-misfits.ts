import { canRun, describeProviders, type RunnerName } from '../runner-kinds.ts';
import type { AgentSettings, BotConfig } from './bot-config.ts';
import { indexModels, type ModelRef } from './models.ts';
import type { SettingPath } from './setting-path.ts';

interface RunnerMisfit {
  readonly at: SettingPath;
  readonly says: string;
  readonly hint: string;
}

/**
 * Runners that can run no model of their agent: the setting would do nothing. That of all agents need only be of use to
 * one of those that name none.
 */
export function listRunnerMisfits({ agents = {} }: BotConfig): RunnerMisfit[] {
  const { defaults = {} } = agents;
  const listed: { at: SettingPath; own: AgentSettings }[] =
    agents.list?.map((own, index) => ({ at: ['agents', 'list', index, 'runner'], own })) ??
    Object.entries(agents.entries ?? {}).map(([id, own]) => ({
      at: ['agents', 'entries', id, 'runner'],
      own,
    }));
  const faults = listed.flatMap(({ at, own }) =>
    own.runner === undefined ? [] : compare(at, own.runner, modelsOf(defaults, own)),
  );
  const inheriting = listed.filter(({ own }) => own.runner === undefined).map(({ own }) => own);
  const others = listed.length === 0 ? [{}] : inheriting;
  if (defaults.runner === undefined || others.length === 0) return faults;
  const names = others.flatMap((own) => modelsOf(defaults, own));
  return [...faults, ...compare(['agents', 'defaults', 'runner'], defaults.runner, names)];
}

function modelsOf(defaults: AgentSettings, own: AgentSettings): readonly ModelRef[] {
  const models = { ...defaults.models, ...own.models };
  const index = indexModels({ model: own.model ?? defaults.model, models });
  return [{ provider: index.defaultProvider, model: index.defaultModel }, ...index.fallbacks];
}

function compare(at: SettingPath, runner: RunnerName, models: readonly ModelRef[]): RunnerMisfit[] {
  if (models.some(({ provider }) => canRun(runner, provider))) return [];
  const names = [...new Set(models.map(({ provider, model }) => `${provider}/${model}`))].join(', ');
  const known = describeProviders(runner);
  return [
    {
      at,
      says: `must be a program that can run ${names}, and ${runner} cannot`,
      hint: `${known === undefined ? `${runner} runs models that have no program of their own` : `${runner} runs models of ${known}`}. Without this setting each model is run by the program of its provider`,
    },
  ];
}
