import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import {
  cutEnd,
  formatQuantity,
  layOutTable,
  printable,
  roundCount,
  type TableColumn,
} from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { openFileCooldowns } from '../../cooldowns/files/file-cooldowns.ts';
import { type ListedModel, listModels } from '../../model-catalog/list-models.ts';
import type { MODELS_LIST_FLAGS } from './flags.ts';

/** Lists the models that the configuration names, or all that are known. */
export async function modelsList({
  flags,
  env,
  terminal,
}: CommandInput<typeof MODELS_LIST_FLAGS>): Promise<void> {
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  const { config, path } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  const now = Date.now();
  const models = await listModels(
    { config, stateDir, env },
    {
      all: flags.all,
      provider: flags.provider?.trim().toLowerCase(),
      cooldowns: await openFileCooldowns(stateDir).read(),
      now,
    },
  );
  if (flags.json) {
    writeJson(terminal, { path, models });
    return;
  }
  if (models.length === 0) {
    terminal.say(
      `No models${flags.provider === undefined ? '' : ` of ${printable(flags.provider)}`}. 'openbot models list --all' lists those of all providers.\n`,
    );
    return;
  }
  const { dim, green, red, yellow } = terminal.palette;
  const columns = columnsFor(models, now);
  const [titles, ...rows] = layOutTable(columns, models, terminal.maxLineWidth, (text, model) => {
    if (!model.isKnown || model.credential === 'missing') return red(text);
    return model.cooldown === undefined ? (model.isDefault ? green(text) : text) : yellow(text);
  });
  terminal.write([formatQuantity(models.length, 'model'), dim(titles!), ...rows, ''].join('\n'));
  if (flags.all || flags.provider !== undefined) return;
  for (const hint of listHints(models, path)) terminal.warn(`${dim(hint)}\n`);
}

function columnsFor(models: readonly ListedModel[], now: number): readonly TableColumn<ListedModel>[] {
  const all: (TableColumn<ListedModel> & { readonly isWanted?: boolean })[] = [
    { title: 'MODEL', show: ({ name }) => printable(name), cut: cutEnd, least: 16, good: 30 },
    {
      title: 'ALIAS',
      show: ({ aliases }) => printable(aliases.join(', ')),
      isWanted: models.some(({ aliases }) => aliases.length > 0),
      cut: cutEnd,
      least: 6,
      leave: 3,
    },
    { title: 'FOR', show: showUse, cut: cutEnd, least: 7, good: 12, isSpare: true, leave: 2 },
    {
      title: 'WINDOW',
      show: ({ contextWindow }) => (contextWindow === undefined ? '' : roundCount(contextWindow)),
      isFigure: true,
      leave: 4,
    },
    {
      title: '$/M IN, OUT',
      show: ({ cost }) => (cost === undefined ? '' : `${cost.input}, ${cost.output}`),
      isWanted: models.some(({ cost }) => cost !== undefined),
      isFigure: true,
      isSpare: true,
      leave: 1,
    },
    { title: 'KEY', show: ({ credential = 'unknown' }) => KEY_WORDS[credential] },
    {
      title: 'STATE',
      show: (model) => showState(model, now),
      isWanted: models.some(({ isKnown, cooldown }) => !isKnown || cooldown !== undefined),
      cut: cutEnd,
      least: 8,
    },
  ];
  return all.filter(({ isWanted }) => isWanted !== false);
}

const KEY_WORDS: Readonly<Record<NonNullable<ListedModel['credential']>, string>> = {
  present: 'set',
  missing: 'missing',
  unneeded: 'not needed',
  unknown: 'unknown',
};

function showUse({ isDefault, agents, fallbackOf }: ListedModel): string {
  const others = agents.slice(isDefault ? 1 : 0);
  return [
    ...(isDefault ? ['default'] : []),
    ...others,
    ...(fallbackOf.length > 0 ? [`fallback of ${fallbackOf.join(', ')}`] : []),
  ].join(', ');
}

function showState({ isKnown, cooldown }: ListedModel, now: number): string {
  if (!isKnown) return 'no such model';
  if (cooldown === undefined) return '';
  return `${cooldown.failure}, again in ${Math.max(1, Math.ceil((cooldown.until - now) / 60_000))} min`;
}

/** One for each provider whose key is missing. */
function listHints(models: readonly ListedModel[], path: string): string[] {
  const named = models.filter(({ agents, fallbackOf }) => agents.length + fallbackOf.length > 0);
  const missing = named.filter(({ credential }) => credential === 'missing' || credential === 'unknown');
  const hints = new Map(missing.map(({ provider, credentialHint }) => [provider, credentialHint]));
  return [
    ...[...hints].flatMap(([provider, hint]) => (hint === undefined ? [] : [`${provider}: ${hint}`])),
    ...(named.some(({ isKnown }) => !isKnown)
      ? [`Models of your own are described in models.providers of ${path}`]
      : []),
  ].map(printable);
}
