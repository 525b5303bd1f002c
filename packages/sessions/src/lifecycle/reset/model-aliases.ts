import { OpenBotError } from '../../errors.ts';
import type { ModelCatalogue } from './model-hint.ts';

/** A person's own names for models, as OpenClaw keeps them. */
export type ModelAliasIndex = {
  readonly byAlias: ReadonlyMap<string, { readonly alias: string; readonly ref: ModelRef }>;
};

type ModelRef = { readonly provider: string; readonly model: string };

/** The default model and those that have an alias. Throws INVALID_ARGUMENT where there is no default. */
export function catalogueOf(known: {
  readonly defaultProvider?: string;
  readonly defaultModel?: string;
  readonly aliasIndex?: ModelAliasIndex;
}): ModelCatalogue {
  const { defaultProvider: provider, defaultModel: model } = known;
  if (!provider || !model) {
    throw new OpenBotError(
      'INVALID_ARGUMENT',
      'No models to choose from: there is no catalogue and no default',
      {
        hint: 'Give catalogue, or defaultProvider and defaultModel.',
      },
    );
  }
  const named = [...(known.aliasIndex?.byAlias.values() ?? [])];
  const providers: Record<string, string[]> = {};
  for (const ref of [{ provider, model }, ...named.map(({ ref }) => ref)]) {
    const models = providers[ref.provider] ?? [];
    if (!models.includes(ref.model)) providers[ref.provider] = [...models, ref.model];
  }
  return {
    providers,
    aliases: Object.fromEntries(named.map(({ alias, ref }) => [alias, `${ref.provider}/${ref.model}`])),
    defaults: { provider, model },
  };
}
