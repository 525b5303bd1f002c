import type { DeliveryContext } from '../../entry/delivery-context.ts';
import { isJsonObject } from '../../entry/json-object.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import { isSameJson } from '../../store/json-value.ts';

/** Trimmed, the channel in lower case, what is empty left out. Undefined when nothing is left. */
export function normalizeDeliveryContext(
  raw: Readonly<DeliveryContext> | undefined,
): DeliveryContext | undefined {
  const channel = readText(raw?.channel)?.toLowerCase();
  // An address is kept as the network gave it: with its spaces it is another one.
  const to = readText(raw?.to) && raw?.to;
  const accountId = readText(raw?.accountId);
  const threadId = readThreadId(raw?.threadId);
  const context: DeliveryContext = {
    ...(channel === undefined ? {} : { channel }),
    ...(to === undefined ? {} : { to }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(threadId === undefined ? {} : { threadId }),
  };
  return Object.keys(context).length === 0 ? undefined : context;
}

/** Where an entry's replies go, from its delivery context or, in older entries, from its `last…` fields. */
export function readDelivery(entry: Readonly<SessionEntry> | undefined): DeliveryContext | undefined {
  if (entry === undefined) return undefined;
  const { lastChannel, lastTo, lastAccountId, lastThreadId } = entry;
  return mergeDelivery(
    normalizeDeliveryContext(entry.deliveryContext),
    normalizeDeliveryContext({
      channel: lastChannel,
      to: lastTo,
      accountId: lastAccountId,
      threadId: lastThreadId,
    }),
  );
}

/**
 * `now` with its gaps filled from `before`, as far as both mean the same place: an address of one channel means
 * nothing on another, an account nothing at another address, and a thread belongs to the message that was in it.
 */
export function mergeDelivery(
  now: DeliveryContext | undefined,
  before: DeliveryContext | undefined,
): DeliveryContext | undefined {
  if (now === undefined || before === undefined) return now ?? before;
  const sameChannel = agree(now.channel, before.channel);
  const sameAddress = sameChannel && agree(now.to, before.to);
  const saysWhere = now.channel !== undefined || now.to !== undefined;
  return normalizeDeliveryContext({
    channel: now.channel ?? before.channel,
    to: now.to ?? (sameChannel ? before.to : undefined),
    accountId: now.accountId ?? (sameAddress ? before.accountId : undefined),
    threadId: now.threadId ?? (saysWhere ? undefined : before.threadId),
  });
}

/** Every field of an entry that tells where its replies go, all saying the same. */
export function deliveryFields(
  entry: Readonly<SessionEntry> | undefined,
  context: DeliveryContext | undefined,
): Partial<SessionEntry> {
  if (context === undefined) return {};
  const before = isJsonObject(entry?.deliveryContext) ? entry.deliveryContext : undefined;
  const isMoved = !isSameJson(normalizeDeliveryContext(before) ?? null, context);
  return {
    deliveryContext: { ...before, ...NO_CONTEXT, ...context },
    lastChannel: context.channel,
    lastTo: context.to,
    lastAccountId: context.accountId,
    lastThreadId: context.threadId,
    // Newer programs prefer these; one that names the old place must not win.
    ...(isMoved && entry?.route !== undefined ? { route: undefined } : {}),
    ...(isMoved && entry?.delivery !== undefined ? { delivery: undefined } : {}),
  };
}

const NO_CONTEXT = { channel: undefined, to: undefined, accountId: undefined, threadId: undefined };

function agree(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

function readText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function readThreadId(value: unknown): string | number | undefined {
  if (typeof value !== 'number') return readText(value);
  return Number.isFinite(value) ? Math.trunc(value) : undefined;
}
