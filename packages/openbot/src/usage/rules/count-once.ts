import { totalOf, type UsageRequest } from './request.ts';

export interface CountedItem {
  readonly request: UsageRequest;
  /** The one that the line names, else that of its file. */
  readonly session: string;
}

/**
 * Keeps each request once, as ccusage does: the lines of one message repeat its usage, forks repeat its lines, and a side
 * conversation replays those of its parent under new request ids. Of two lines the parent's counts, then the larger one,
 * then the first.
 */
export class RequestsOnce<Item extends CountedItem> {
  readonly items: Item[] = [];
  /** The items of each message, with the sessions of all lines that each stands for. */
  readonly #byId = new Map<string, Known[]>();

  add(item: Item): void {
    const { id } = item.request;
    if (id === undefined) {
      this.items.push(item);
      return;
    }
    const others = this.#byId.get(id) ?? [];
    const key = keyOf(item);
    let known =
      others.find(({ at }) => keyOf(this.items[at]!) === key) ??
      others.find((other) => this.#isReplay(other, item));
    if (known === undefined) {
      known = { at: this.items.push(item) - 1, sessions: [] };
      this.#byId.set(id, [...others, known]);
    } else if (isBetter(item.request, this.items[known.at]!.request)) this.items[known.at] = item;
    if (!known.sessions.includes(item.session)) known.sessions.push(item.session);
  }

  #isReplay({ at, sessions }: Known, { request, session }: Item): boolean {
    const isSide = request.isSidechain === true || this.items[at]!.request.isSidechain === true;
    return isSide && sessions.includes(session);
  }
}

interface Known {
  /** The position of the item. */
  readonly at: number;
  readonly sessions: string[];
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
  const more = totalOf(one) - totalOf(other);
  return more === 0 ? one.hasSpeed === true && other.hasSpeed !== true : more > 0;
}
