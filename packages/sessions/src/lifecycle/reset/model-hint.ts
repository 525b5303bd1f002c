/** The models that a person can choose from. */
export interface ModelCatalogue {
  /** By provider, the preferred model first. */
  providers: Readonly<Record<string, readonly string[]>>;
  /** A person's own names: `fast` for `provider/model`. */
  aliases?: Readonly<Record<string, string>>;
  defaults: { readonly provider: string; readonly model: string };
}

export interface ModelSelection {
  provider: string;
  model: string;
  isDefault: boolean;
  alias?: string;
}

interface Choice {
  provider: string;
  model: string;
  alias?: string;
  words: 1 | 2;
}

/**
 * The model that the first one or two words name, and the text behind them in its own case; undefined when they name
 * none. Known are `provider model`, an alias, `provider/model`, a model's whole name, a provider alone (its preferred
 * model), and the distinctive part of one model's name. A part counts as distinctive only with a digit in it: `haiku`
 * and `opus` are also words that a message may begin with.
 */
export function readModelHint(
  text: string,
  catalogue: ModelCatalogue,
): { selection: ModelSelection; rest: string } | undefined {
  const [, first = '', second = ''] = /^\s*(\S+)(?:\s+(\S+))?/.exec(text) ?? [];
  if (first === '') return undefined;
  const choice =
    chooseWithin(first, second, catalogue) ??
    chooseAlias(first, catalogue) ??
    chooseQualified(first, catalogue) ??
    chooseWhole(first, catalogue) ??
    chooseProvider(first, catalogue) ??
    choosePart(first, catalogue);
  if (choice === undefined) return undefined;
  const { provider, model, alias, words } = choice;
  const isDefault = same(provider, catalogue.defaults.provider) && same(model, catalogue.defaults.model);
  const taken = words === 1 ? /^\s*\S+\s*/ : /^\s*\S+\s+\S+\s*/;
  return {
    selection: { provider, model, isDefault, alias },
    rest: text.replace(taken, '').trimEnd(),
  };
}

/** Behind a provider's name the next word is a model's if it can be. */
function chooseWithin(first: string, second: string, catalogue: ModelCatalogue): Choice | undefined {
  const found = findProvider(first, catalogue);
  if (found === undefined || second === '') return undefined;
  const [provider, models] = found;
  const model =
    models.find((one) => same(one, second)) ??
    (second.length >= 4 ? models.find((one) => matchPart(second, one) !== 'none') : undefined);
  return model === undefined ? undefined : { provider, model, words: 2 };
}

function chooseAlias(word: string, catalogue: ModelCatalogue): Choice | undefined {
  const found = Object.entries(catalogue.aliases ?? {}).find(([name]) => same(name, word));
  if (found === undefined) return undefined;
  const [alias, target] = found;
  const qualified = chooseQualified(target, catalogue) ?? chooseWhole(target, catalogue);
  return qualified === undefined ? undefined : { ...qualified, alias };
}

function chooseQualified(word: string, catalogue: ModelCatalogue): Choice | undefined {
  const slash = word.indexOf('/');
  const found = slash > 0 ? findProvider(word.slice(0, slash), catalogue) : undefined;
  const model = found?.[1].find((one) => same(one, word.slice(slash + 1)));
  return found === undefined || model === undefined ? undefined : { provider: found[0], model, words: 1 };
}

function chooseWhole(word: string, catalogue: ModelCatalogue): Choice | undefined {
  return prefer(
    listChoices(catalogue).filter(({ model }) => same(model, word)),
    catalogue,
  );
}

function chooseProvider(word: string, catalogue: ModelCatalogue): Choice | undefined {
  const found = findProvider(word, catalogue);
  if (found === undefined) return undefined;
  const [provider, models] = found;
  const { defaults } = catalogue;
  const model = same(provider, defaults.provider) ? defaults.model : models[0];
  return model === undefined ? undefined : { provider, model, words: 1 };
}

function choosePart(word: string, catalogue: ModelCatalogue): Choice | undefined {
  if (word.length < 3 || !/^[a-z]/i.test(word) || !/\d/.test(word)) return undefined;
  const choices = listChoices(catalogue);
  const fitting = choices.filter(({ model }) => matchPart(word, model) !== 'none');
  const ending = fitting.filter(({ model }) => matchPart(word, model) === 'end');
  return prefer(ending.length > 0 ? ending : fitting, catalogue);
}

/** Several providers may offer one model: the default provider counts. Several models: no match. */
function prefer(choices: readonly Choice[], { defaults }: ModelCatalogue): Choice | undefined {
  if (new Set(choices.map(({ model }) => model.toLowerCase())).size !== 1) return undefined;
  return choices.find(({ provider }) => same(provider, defaults.provider)) ?? choices[0];
}

/** Whether the words of `part` follow each other in the model's name, and whether they end it. */
function matchPart(part: string, model: string): 'end' | 'inside' | 'none' {
  const wanted = splitName(part);
  const words = splitName(model);
  if (wanted.length === 0) return 'none';
  for (let at = words.length - wanted.length; at >= 0; at--) {
    if (wanted.every((word, i) => words[at + i] === word)) {
      return at + wanted.length === words.length ? 'end' : 'inside';
    }
  }
  return 'none';
}

function splitName(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[-_.:/@]+/)
    .filter((word) => word !== '');
}

function listChoices(catalogue: ModelCatalogue): Choice[] {
  return Object.entries(catalogue.providers).flatMap(([provider, models]) =>
    models.map((model) => ({ provider, model, words: 1 as const })),
  );
}

function findProvider(
  word: string,
  catalogue: ModelCatalogue,
): [provider: string, models: readonly string[]] | undefined {
  return Object.entries(catalogue.providers).find(([name]) => same(name, word));
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
