/** What `compaction` of an agent's settings means for the window of a model. */
import type { AgentSettings, BotConfig } from './bot-config.ts';
import { indexModels, type ModelRef } from './models.ts';
import type { SettingPath } from './setting-path.ts';

const DEFAULT_RESERVE = 20_000;
const DEFAULT_SOFT_THRESHOLD = 4000;
/** A conversation with less than this is nothing but its prompt. */
const LEAST_FOR_CONVERSATION = 8000;

/**
 * The tokens of a window that are free when a conversation is compacted: those of `reserveTokensFloor`, or 20,000 and at most a
 * fifth of the window. Fewer where they leave no room for a conversation.
 * @param prefixTokens of the prompt and the tools
 */
export function reserveOf(window: number, configured: number | undefined, prefixTokens = 0): number {
  const wanted = configured ?? Math.min(DEFAULT_RESERVE, Math.floor(window / 5));
  return Math.min(wanted, mostReserved(window, prefixTokens));
}

function mostReserved(window: number, prefixTokens = 0): number {
  const room = Math.max(0, window - prefixTokens);
  return room - Math.min(LEAST_FOR_CONVERSATION, Math.ceil(room / 2));
}

/** As pi by default. */
const MOST_KEPT = 20_000;

/**
 * A compaction keeps so many tokens of the newest messages: a quarter of the conversation, so that the next messages find room.
 * @param compactsAt with the prompt and the tools
 */
export function keptTokensOf(compactsAt: number, prefixTokens = 0): number {
  return Math.min(MOST_KEPT, Math.floor(Math.max(0, compactsAt - prefixTokens) / 4));
}

/** So many tokens before a compaction the memory flush is due: those of `softThresholdTokens`, less where there are not as many. */
export function softThresholdOf(compactsAt: number, configured: number | undefined): number {
  if (configured === undefined) return Math.min(DEFAULT_SOFT_THRESHOLD, Math.floor(compactsAt / 10));
  return configured < compactsAt ? configured : Math.floor(compactsAt / 2);
}

interface CompactionMisfit {
  readonly at: SettingPath;
  readonly says: string;
  readonly hint: string;
}

/** A reserve or a threshold that leaves nothing of a window that the configuration names. */
export function listCompactionMisfits({ agents = {}, models = {} }: BotConfig): CompactionMisfit[] {
  const { defaults = {} } = agents;
  const listed: { at: SettingPath; own: AgentSettings }[] =
    agents.list?.map((own, index) => ({ at: ['agents', 'list', index], own })) ??
    Object.entries(agents.entries ?? {}).map(([id, own]) => ({ at: ['agents', 'entries', id], own }));
  const all = listed.length === 0 ? [{ at: ['agents', 'defaults'], own: {} }] : listed;
  const faults = all.flatMap(({ at, own }) => {
    const windows = listWindows(defaults, own, models.providers);
    const ofOwn = own.compaction;
    const ofAll = defaults.compaction;
    const reserve = ofOwn?.reserveTokensFloor ?? ofAll?.reserveTokensFloor;
    const flush = { ...ofAll?.memoryFlush, ...ofOwn?.memoryFlush };
    const soft = flush.enabled === false ? undefined : flush.softThresholdTokens;
    const place = (isOwn: boolean) => [...(isOwn ? at : ['agents', 'defaults']), 'compaction'];
    return windows.flatMap(([name, window]): CompactionMisfit[] => {
      const most = mostReserved(window);
      if (reserve !== undefined && reserve > most) {
        const says = `must be at most ${most}: the window of ${name} has ${window} tokens, and a conversation needs the rest`;
        const hint = `Lower it from ${reserve}, or leave it out. Or choose a larger window`;
        return [
          { at: [...place(ofOwn?.reserveTokensFloor !== undefined), 'reserveTokensFloor'], says, hint },
        ];
      }
      const compactsAt = window - reserveOf(window, reserve);
      if (soft === undefined || soft < compactsAt) return [];
      const says = `must be less than ${compactsAt}: the window of ${name} has ${window} tokens and is compacted from there on, so that memories could never be saved before`;
      const isOwn = ofOwn?.memoryFlush?.softThresholdTokens !== undefined;
      const hint = `Lower it from ${soft}, or leave it out. Or lower reserveTokensFloor`;
      return [{ at: [...place(isOwn), 'memoryFlush', 'softThresholdTokens'], says, hint }];
    });
  });
  // Several agents and models may tell of one setting.
  return [...new Map(faults.map((fault) => [fault.at.join('.'), fault])).values()];
}

type Providers = NonNullable<NonNullable<BotConfig['models']>['providers']>;

/** The windows of an agent's models, as far as the configuration says what they are. */
function listWindows(
  defaults: AgentSettings,
  own: AgentSettings,
  providers: Providers = {},
): [name: string, tokens: number][] {
  const index = indexModels({
    model: own.model ?? defaults.model,
    models: { ...defaults.models, ...own.models },
    contextTokens: own.contextTokens ?? defaults.contextTokens,
  });
  const described = ({ provider, model }: ModelRef) =>
    providers[provider]?.models?.find(({ id }) => id === model)?.contextWindow;
  return index.models.flatMap((ref) => {
    const known = [index.contextWindowOf(ref), described(ref)].filter((tokens) => tokens !== undefined);
    return known.length === 0 ? [] : [[`${ref.provider}/${ref.model}`, Math.min(...known)]];
  });
}
