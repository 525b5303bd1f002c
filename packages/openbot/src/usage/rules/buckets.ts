import { type PricedTokens, promptEdgeOf, TIER } from '../prices/price.ts';
import type { UsageRequest } from './request.ts';

/** No time zone begins its days at another minute than a multiple of this, so no report has to split a bucket. */
export const SLOT_MS = 15 * 60_000;

/**
 * The requests of one session, or of all, to one model within a quarter of an hour. A report is made of these: they are
 * few, and they say the same in every time zone and at every price.
 */
export interface UsageBucket {
  /** The index of the unit in the list that they were counted from; absent where they are of all sessions. */
  readonly unit?: number;
  readonly model?: string;
  readonly provider?: string;
  /** Of the first and the last request, in ms. */
  readonly first: number;
  readonly last: number;
  readonly requests: number;
  readonly tokens: PricedTokens;
  /** What of them is above the tier of their request; absent where nothing is. */
  readonly above?: PricedTokens;
  /** The largest of PROMPT_EDGES that the prompt of each of them exceeds. */
  readonly promptAbove?: number;
  /** The sum, where each of them records its cost; absent where none does. */
  readonly costUsd?: number;
}

type Draft = { -readonly [Field in keyof Omit<UsageBucket, 'tokens' | 'above'>]: UsageBucket[Field] } & {
  tokens: Tokens;
  above?: Tokens;
};
type Tokens = { -readonly [Kind in keyof PricedTokens]: number };

export const KINDS = ['input', 'output', 'cacheWrite', 'cacheWrite1h', 'cacheRead'] as const;

/** @param bySession false for buckets of all sessions together, which are far fewer */
export function fillBuckets(
  items: Iterable<{ readonly unit: number; readonly request: UsageRequest }>,
  bySession: boolean,
): UsageBucket[] {
  const buckets = new Map<string, Draft>();
  for (const { unit, request } of items) {
    const { at, model, provider, costUsd } = request;
    const promptAbove = promptEdgeOf(request);
    const key = [
      bySession ? unit : '',
      Math.floor(at / SLOT_MS),
      model,
      provider,
      promptAbove,
      costUsd !== undefined,
    ].join('\n');
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { first: at, last: at, requests: 0, tokens: noTokens() };
      if (bySession) bucket.unit = unit;
      if (model !== undefined) bucket.model = model;
      if (provider !== undefined) bucket.provider = provider;
      if (promptAbove !== undefined) bucket.promptAbove = promptAbove;
      buckets.set(key, bucket);
    }
    add(bucket, request);
  }
  return [...buckets.values()];
}

function add(bucket: Draft, request: UsageRequest): void {
  bucket.requests++;
  bucket.first = Math.min(bucket.first, request.at);
  bucket.last = Math.max(bucket.last, request.at);
  if (request.costUsd !== undefined) bucket.costUsd = (bucket.costUsd ?? 0) + request.costUsd;
  for (const kind of KINDS) {
    bucket.tokens[kind] += request[kind];
    if (request[kind] <= TIER) continue;
    bucket.above ??= noTokens();
    bucket.above[kind] += request[kind] - TIER;
  }
}

function noTokens(): Tokens {
  return { input: 0, output: 0, cacheWrite: 0, cacheWrite1h: 0, cacheRead: 0 };
}
