import { OpenBotError } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { AgentSettings } from './bot-config.ts';

export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** What answers where no model is configured: a scripted one, offline. */
export const DEFAULT_MODEL: ModelRef = { provider: 'script', model: 'echo' };

/** The models that the settings of an agent name. */
export interface ModelIndex {
  readonly defaultProvider: string;
  readonly defaultModel: string;
  /** False where `DEFAULT_MODEL` answers because the settings name none. */
  readonly isChosen: boolean;
  /** Tried in order where the default fails. */
  readonly fallbacks: readonly ModelRef[];
  /** As `applyResetModelOverride` takes it. */
  readonly aliasIndex: ModelAliasIndex;
  /** All, the default one first. */
  readonly models: readonly ModelRef[];
  /** Tokens, where the settings say it. */
  contextWindowOf(ref: ModelRef): number | undefined;
}

interface ModelAliasIndex {
  readonly byAlias: ReadonlyMap<string, { readonly alias: string; readonly ref: ModelRef }>;
  /** `provider/model`. */
  readonly byKey: ReadonlyMap<string, readonly string[]>;
}

export function indexModels(settings: Pick<AgentSettings, 'model' | 'models' | 'contextTokens'>): ModelIndex {
  const configured = Object.entries(settings.models ?? {}).flatMap(([key, { alias, contextWindow }]) => {
    const ref = splitQualified(key);
    return ref === undefined ? [] : [{ ref, alias: alias?.trim(), contextWindow }];
  });
  const byAlias = new Map<string, { alias: string; ref: ModelRef }>();
  const byKey = new Map<string, string[]>();
  for (const { ref, alias } of configured) {
    if (!alias || byAlias.has(alias.toLowerCase())) continue;
    byAlias.set(alias.toLowerCase(), { alias, ref });
    byKey.set(keyOf(ref), [...(byKey.get(keyOf(ref)) ?? []), alias]);
  }
  const names = typeof settings.model === 'object' ? settings.model : { primary: settings.model };
  const known = configured.map(({ ref }) => ref);
  const read = (name: string) => readModel(name, { byAlias, known, provider: DEFAULT_MODEL.provider });
  const primary = names.primary === undefined ? undefined : read(names.primary);
  const standard = primary ?? DEFAULT_MODEL;
  const fallbacks = (names.fallbacks ?? []).map((name) =>
    readModel(name, { byAlias, known, provider: standard.provider }),
  );
  const windows = new Map(configured.map(({ ref, contextWindow }) => [keyOf(ref), contextWindow]));
  const all = new Map([standard, ...fallbacks, ...known].map((ref) => [keyOf(ref), ref]));
  return {
    defaultProvider: standard.provider,
    defaultModel: standard.model,
    isChosen: primary !== undefined,
    fallbacks,
    aliasIndex: { byAlias, byKey },
    models: [...all.values()],
    contextWindowOf: (ref) => settings.contextTokens ?? windows.get(keyOf(ref)),
  };
}

/** An alias, `provider/model`, or a model alone: one that the settings name, else one of the default provider. */
export function resolveModel(name: string, index: ModelIndex): ModelRef {
  return readModel(name, {
    byAlias: index.aliasIndex.byAlias,
    known: index.models,
    provider: index.defaultProvider,
  });
}

function readModel(
  name: string,
  {
    byAlias,
    known,
    provider,
  }: {
    readonly byAlias: ModelAliasIndex['byAlias'];
    readonly known: readonly ModelRef[];
    readonly provider: string;
  },
): ModelRef {
  const text = name.trim();
  const wanted = text.toLowerCase();
  return (
    byAlias.get(wanted)?.ref ??
    known.find((ref) => keyOf(ref) === wanted) ??
    splitQualified(text) ??
    known.find(({ model }) => model.toLowerCase() === wanted) ?? { provider, model: text }
  );
}

/** For a name that no runner has a model for. */
export function modelNotFound(name: string, index: ModelIndex, configPath: string): OpenBotError {
  const aliases = [...index.aliasIndex.byAlias.values()].map(({ alias }) => alias);
  const models = [...index.models, DEFAULT_MODEL].map(({ provider, model }) => `${provider}/${model}`);
  // The configuration may name the very model that no runner has.
  const names = [...new Set([...aliases, ...models])].filter((other) => other !== name);
  const nearest = findNearest(name, names);
  const others = nearest === undefined ? `Known: ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  return new OpenBotError('MODEL_NOT_FOUND', `There is no model ${name}`, {
    hint: `${others} The model of all agents is agents.defaults.model in ${configPath}; models of your own are described there in models.providers`,
    details: { models: names },
  });
}

function keyOf({ provider, model }: ModelRef): string {
  return `${provider}/${model}`.toLowerCase();
}

/** The model may contain slashes itself: `openrouter/meta/llama`. */
function splitQualified(name: string): ModelRef | undefined {
  const [, provider, model] = /^\s*([^/\s]+)\/(\S.*?)\s*$/.exec(name) ?? [];
  return provider === undefined || model === undefined
    ? undefined
    : { provider: provider.toLowerCase(), model };
}
