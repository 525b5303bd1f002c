import type { Calendar } from './calendar.ts';
import type { SessionNote, UsageSource, UsageUnit } from './contract.ts';
import type { CountedUsage } from './count-usage.ts';
import { costOf, type PriceList, type PriceSource, type PriceTableFacts } from './prices/price.ts';
import type { UsageBucket } from './rules/buckets.ts';

export const GROUPINGS = ['day', 'month', 'session', 'model', 'channel'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Where a cost comes from. `mixed`: from several; `unknown`: no price is known. */
export type CostSource = 'recorded' | PriceSource | 'mixed' | 'unknown';

export interface UsageFigures {
  inputTokens: number;
  outputTokens: number;
  cacheCreationTokens: number;
  cacheReadTokens: number;
  totalTokens: number;
  /** US dollars of what has a price. */
  totalCost: number;
  /** Of requests that no price is known for. */
  unpricedTokens: number;
  readonly costSources: Set<CostSource>;
}

/** What was counted of one source. */
export interface SourceUsage {
  readonly name: string;
  readonly counted: CountedUsage;
  readonly notes: ReadonlyMap<string, SessionNote>;
  /** Of sessions that no note names. */
  readonly channel?: string;
  readonly repeats?: UsageSource['repeats'];
}

export interface UsageGroup {
  /** The day, the month, the session's id, the model or the channel. */
  readonly name: string;
  readonly figures: UsageFigures;
  /** By model, the most expensive first. */
  readonly models: Map<string, UsageFigures>;
  /** Of the first and the last request, in ms. */
  first: number;
  last: number;
  /** Of a group that is one session. */
  readonly session?: SessionNote & Pick<UsageUnit, 'agentId' | 'project'> & { readonly source: string };
}

export interface UsageQuery {
  readonly by: Grouping;
  readonly calendar: Calendar;
  /** Days, both included. */
  readonly since?: string;
  /** More exact than the day; buckets are of a quarter of an hour. */
  readonly sinceAt?: number;
  readonly until?: string;
  readonly agentId?: string;
  readonly prices: PriceList;
}

export interface GroupedUsage {
  /** Days, months and sessions by time; models and channels the most expensive first. */
  readonly groups: readonly UsageGroup[];
  readonly totals: UsageFigures;
  readonly unpricedModels: readonly string[];
  /** Of the costs whose source is `table` or `built-in`. */
  readonly priceTable: PriceTableFacts;
}

const NO_CHANNEL = 'unknown';
/** Of what Claude Code itself wrote. */
const NO_MODEL = 'none';

/** Whether buckets of all sessions together are enough. */
export function needsSessions({ by, agentId }: Pick<UsageQuery, 'by' | 'agentId'>): boolean {
  return by === 'session' || by === 'channel' || agentId !== undefined;
}

export function groupUsage(sources: readonly SourceUsage[], query: UsageQuery): GroupedUsage {
  const groups = new Map<string, UsageGroup>();
  const totals = noFigures();
  const unpriced = new Set<string>();
  for (const source of sources) {
    const repeated = sources.some(({ name }) => name === source.repeats?.source)
      ? source.repeats!.providers
      : [];
    for (const bucket of source.counted.buckets) {
      if (bucket.provider !== undefined && repeated.includes(bucket.provider)) continue;
      const unit = bucket.unit === undefined ? undefined : source.counted.units[bucket.unit];
      if (query.agentId !== undefined && unit?.agentId !== query.agentId) continue;
      const day = query.calendar(bucket.first);
      if (query.since !== undefined && day < query.since) continue;
      if (query.sinceAt !== undefined && bucket.last < query.sinceAt) continue;
      if (query.until !== undefined && day > query.until) continue;
      const price = priceOf(bucket, query.prices);
      add(totals, bucket, price);
      const group = openGroup(groups, source, unit, bucket, day, query.by);
      add(group.figures, bucket, price);
      if (bucket.first < group.first) group.first = bucket.first;
      if (bucket.last > group.last) group.last = bucket.last;
      const { model } = bucket;
      if (model === undefined) continue;
      if (price.source === 'unknown') unpriced.add(model);
      if (!group.models.has(model)) group.models.set(model, noFigures());
      add(group.models.get(model)!, bucket, price);
    }
  }
  return {
    groups: [...groups.values()].sort(ORDER[query.by]),
    totals,
    unpricedModels: [...unpriced].sort(),
    priceTable: query.prices.table,
  };
}

const byName = (a: UsageGroup, b: UsageGroup) => (a.name < b.name ? -1 : 1);
const byCost = (a: UsageGroup, b: UsageGroup) =>
  b.figures.totalCost - a.figures.totalCost || b.figures.totalTokens - a.figures.totalTokens || byName(a, b);
const ORDER: Readonly<Record<Grouping, (a: UsageGroup, b: UsageGroup) => number>> = {
  day: byName,
  month: byName,
  session: (a, b) => a.last - b.last || byName(a, b),
  model: byCost,
  channel: byCost,
};

function openGroup(
  groups: Map<string, UsageGroup>,
  source: SourceUsage,
  unit: UsageUnit | undefined,
  bucket: UsageBucket,
  day: string,
  by: Grouping,
): UsageGroup {
  const note = unit === undefined ? undefined : source.notes.get(unit.sessionId);
  const name = nameGroup(by, { day, unit, bucket, channel: note?.channel ?? source.channel });
  const key = by === 'session' ? [source.name, unit?.agentId, unit?.project, name].join('\n') : name;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const session =
    by === 'session'
      ? { ...note, agentId: unit?.agentId, project: unit?.project, source: source.name }
      : undefined;
  const { first, last } = bucket;
  const group = { name, figures: noFigures(), models: new Map(), first, last, session };
  groups.set(key, group);
  return group;
}

function nameGroup(
  by: Grouping,
  of: { day: string; unit: UsageUnit | undefined; bucket: UsageBucket; channel: string | undefined },
): string {
  if (by === 'day') return of.day;
  if (by === 'month') return of.day.slice(0, 7);
  if (by === 'session') return of.unit?.sessionId ?? '';
  return by === 'model' ? (of.bucket.model ?? NO_MODEL) : (of.channel ?? NO_CHANNEL);
}

interface BucketPrice {
  readonly cost: number;
  /** Undefined for what no model was asked for, or took nothing. */
  readonly source?: CostSource;
}

function priceOf(bucket: UsageBucket, prices: PriceList): BucketPrice {
  const { model, provider, tokens, above, promptAbove, costUsd } = bucket;
  if (costUsd !== undefined) return { cost: costUsd, source: 'recorded' };
  if (model === undefined || sum(tokens) === 0) return { cost: 0 };
  const isFast = model.endsWith('-fast');
  const found = prices.find(isFast ? model.slice(0, -'-fast'.length) : model, provider);
  if (found === undefined) return { cost: 0, source: 'unknown' };
  return { cost: costOf(found.price, tokens, { above, promptAbove, isFast }), source: found.source };
}

function sum({ input, output, cacheWrite, cacheWrite1h, cacheRead }: UsageBucket['tokens']): number {
  return input + output + cacheWrite + cacheWrite1h + cacheRead;
}

export function describeCostSource({ costSources }: UsageFigures): CostSource {
  const [first, second] = costSources;
  return second === undefined ? (first ?? 'recorded') : 'mixed';
}

function noFigures(): UsageFigures {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    totalTokens: 0,
    totalCost: 0,
    unpricedTokens: 0,
    costSources: new Set(),
  };
}

function add(figures: UsageFigures, { tokens }: UsageBucket, { cost, source }: BucketPrice): void {
  const total = sum(tokens);
  figures.inputTokens += tokens.input;
  figures.outputTokens += tokens.output;
  figures.cacheCreationTokens += tokens.cacheWrite + tokens.cacheWrite1h;
  figures.cacheReadTokens += tokens.cacheRead;
  figures.totalTokens += total;
  figures.totalCost += cost;
  if (source === 'unknown') figures.unpricedTokens += total;
  if (source !== undefined) figures.costSources.add(source);
}
