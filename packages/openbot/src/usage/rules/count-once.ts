import { costOf, findPrice, type PricedTokens, promptEdgeOf, TIER } from '../prices/price.ts';
import { BUILT_IN_PRICES } from '../prices/price-table.ts';
import { KINDS } from './buckets.ts';
import { totalOf, type UsageRequest } from './request.ts';

export interface CountedItem {
  readonly request: UsageRequest;
  /** The one that the line names, else that of its file. */
  readonly session: string;
}

/**
 * Keeps each request once, as ccusage does: the lines of one message repeat its usage, forks repeat its lines, and a side
 * conversation replays those of its parent under new request ids. Of two lines the parent's counts, then the larger one,
 * then the dearer one, then the first.
 */
export class RequestsOnce<Item extends CountedItem> {
  readonly items: Item[] = [];
  /** The items of each message, and those of each message in a session, in the order in which a line of it led to them. */
  readonly #ofMessage = new Map<string, number[]>();
  readonly #ofSession = new Map<string, number[]>();

  add(item: Item): void {
    const { id } = item.request;
    if (id === undefined) {
      this.items.push(item);
      return;
    }
    const inSession = `${id}\n${item.session}`;
    const key = keyOf(item);
    let at =
      this.#ofMessage.get(id)?.find((other) => keyOf(this.items[other]!) === key) ??
      this.#ofSession.get(inSession)?.find((other) => this.#isReplay(other, item));
    if (at === undefined) {
      at = this.items.push(item) - 1;
      note(this.#ofMessage, id, at);
    } else if (isBetter(item.request, this.items[at]!.request)) this.items[at] = item;
    note(this.#ofSession, inSession, at);
  }

  #isReplay(at: number, { request }: Item): boolean {
    return request.isSidechain === true || this.items[at]!.request.isSidechain === true;
  }
}

function note(places: Map<string, number[]>, name: string, at: number): void {
  const known = places.get(name);
  if (known === undefined) places.set(name, [at]);
  else if (!known.includes(at)) known.push(at);
}

/** What has no request id is known by its session and its time. */
function keyOf({ request: { requestId, at }, session }: CountedItem): string {
  return requestId === undefined ? `${session}\n${at}` : requestId;
}

/**
 * Of lines that are of one request beyond doubt, the one that counts. What else is the same can depend on lines of other
 * files.
 */
export function mergeLines(requests: readonly UsageRequest[]): UsageRequest[] {
  const merged: UsageRequest[] = [];
  const places = new Map<string, number>();
  for (const request of requests) {
    const { id, requestId, isSidechain, session } = request;
    const key =
      id === undefined || requestId === undefined ? '' : [id, requestId, isSidechain, session].join('\n');
    const known = key === '' ? undefined : places.get(key);
    if (known === undefined) places.set(key, merged.push(request) - 1);
    else if (isBetter(request, merged[known]!)) merged[known] = request;
  }
  return merged;
}

function isBetter(one: UsageRequest, other: UsageRequest): boolean {
  if (one.isSidechain !== other.isSidechain) return other.isSidechain === true;
  const more = totalOf(one) - totalOf(other) || compareCost(one, other);
  return more === 0 ? one.hasSpeed === true && other.hasSpeed !== true : more > 0;
}

/** By built-in prices: those of the user do not change which line counts. Most lines of a message have the same figures. */
function compareCost(one: UsageRequest, other: UsageRequest): number {
  const isSame =
    one.model === other.model &&
    one.costUsd === other.costUsd &&
    KINDS.every((kind) => one[kind] === other[kind]);
  return isSame ? 0 : builtInCostOf(one) - builtInCostOf(other);
}

function builtInCostOf(request: UsageRequest): number {
  const { model = '', costUsd } = request;
  if (costUsd !== undefined) return costUsd;
  const price = findPrice(BUILT_IN_PRICES, model.replace(/-fast$/, ''), request.provider);
  if (price === undefined) return 0;
  const above = Object.fromEntries(KINDS.map((kind) => [kind, Math.max(0, request[kind] - TIER)]));
  return costOf(price, request, {
    above: above as unknown as PricedTokens,
    promptAbove: promptEdgeOf(request),
    isFast: model.endsWith('-fast'),
  });
}
