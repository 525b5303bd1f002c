import { mergeSessionEntry } from '../../entry/merge-session-entry.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import {
  deliveryFields,
  mergeDelivery,
  normalizeDeliveryContext,
  readDelivery,
} from '../entry-updates/delivery-route.ts';
import { deriveSessionMeta, readMessageChannel } from '../entry-updates/inbound-meta.ts';
import type { InitRequest } from './init-request.ts';

/**
 * What every message leaves in its entry. A system event leaves the conversation as the person last used it. An entry
 * that is ahead of the clock comes back to it: the clock was wrong once, and the session would never be over.
 */
export function touchEntry(request: InitRequest, entry: SessionEntry): SessionEntry {
  const { ctx, moment, groupResolution, isSystemEvent } = request;
  if (isSystemEvent) return entry;
  return mergeSessionEntry(
    { ...entry, updatedAt: Math.min(entry.updatedAt, moment.now) },
    {
      lastInteractionAt: moment.now,
      ...deriveSessionMeta(ctx, entry, groupResolution),
      ...deriveRoute(request, entry),
    },
    moment,
  );
}

function deriveRoute({ ctx, isThread }: InitRequest, entry: SessionEntry): Partial<SessionEntry> {
  const before = readDelivery(entry);
  const now = normalizeDeliveryContext({
    channel: readMessageChannel(ctx),
    to: ctx.OriginatingTo ?? ctx.To,
    accountId: ctx.AccountId,
    threadId: ctx.MessageThreadId ?? (isThread ? before?.threadId : undefined),
  });
  return deliveryFields(entry, mergeDelivery(now, before));
}
