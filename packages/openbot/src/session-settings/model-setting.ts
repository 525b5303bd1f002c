import { findNearest } from '@openbot/sessions/terminal-text';
import { type ModelIndex, resolveModel } from '../config/models.ts';
import { UNSET_WORDS } from './choice-setting.ts';
import type { KnownNames, SessionSetting, SettingPlace } from './contract.ts';

export const MODEL_SETTING: SessionSetting = {
  name: 'model',
  summary: 'Which model answers: an alias, provider/model, or a number of the list',
  values: 'name',
  fields: ['providerOverride', 'modelOverride'],
  unsetBy: UNSET_WORDS,
  read: async (text, place) => {
    const { models } = place;
    const name = text.trim();
    const numbered = /^\d{1,3}$/.test(name) ? models.models[Number(name) - 1] : undefined;
    const ref = numbered ?? resolveModel(name, models);
    if (/\s/.test(name) || !(await place.hasModel(ref))) {
      const nearest = findNearest(name, listNames(models));
      const meant = nearest === undefined ? 'Send /model for a list.' : `Did you mean ${nearest}?`;
      return { isRead: false, problem: `There is no model ${JSON.stringify(name)}. ${meant}` };
    }
    return { isRead: true, patch: { providerOverride: ref.provider, modelOverride: ref.model } };
  },
  show: ({ entry, models }: SettingPlace) => {
    const { providerOverride = models.defaultProvider, modelOverride = models.defaultModel } = entry ?? {};
    return `${providerOverride}/${modelOverride}`;
  },
  countWords: ([first = ''], names: KnownNames) => (names.isModel(first) ? 1 : 0),
};

/** Whether the settings of an agent know a name: a word in the middle of a message must not be taken for a model. */
export function isKnownModel(name: string, models: ModelIndex): boolean {
  const wanted = name.toLowerCase();
  return wanted !== '' && listNames(models).some((known) => known.toLowerCase() === wanted);
}

function listNames({ aliasIndex, models }: ModelIndex): string[] {
  const aliases = [...aliasIndex.byAlias.values()].map(({ alias }) => alias);
  return [...aliases, ...models.flatMap(({ provider, model }) => [`${provider}/${model}`, model])];
}

/** The models that an agent can be asked with, one line each: `1. anthropic/opus (alias opus)`. */
export function listModels({ models, aliasIndex, defaultProvider, defaultModel }: ModelIndex): string[] {
  return models.map(({ provider, model }, at) => {
    const key = `${provider}/${model}`;
    const aliases = aliasIndex.byKey.get(key.toLowerCase()) ?? [];
    const notes = [
      ...(aliases.length === 0 ? [] : [`alias ${aliases.join(', ')}`]),
      ...(provider === defaultProvider && model === defaultModel ? ['default'] : []),
    ];
    return `${at + 1}. ${key}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  });
}
