import type { DeliveryContext } from '../../entry/delivery-context.ts';
import { mergeSessionEntry } from '../../entry/read-session-entry.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import type { GroupKeyResolution } from '../../key/group.ts';
import type { MsgContext } from '../../message/msg-context.ts';
import type { StoredSession } from '../../store/contract.ts';
import { copyJson } from '../../store/json-value.ts';
import {
  type AgentSessions,
  type AgentSessionsParams,
  openAgentSessions,
  readOwnKey,
} from '../agent-sessions.ts';
import { type Clock, type ClockParams, readClock } from '../clock.ts';
import { assertMessage } from '../init/assert-message.ts';
import { markRecorded } from '../init/recorded-session.ts';
import { mayClaim } from '../init/separate-senders.ts';
import { nameSession, startSession } from '../init/start-session.ts';
import { isLive, locateEntry } from '../locate-entry.ts';
import { deliveryFields, mergeDelivery, normalizeDeliveryContext, readDelivery } from './delivery-route.ts';
import { deriveSessionMeta, type ExactOrigin } from './inbound-meta.ts';

/** Records who and where a message is from: origin, chat type, group, names. `updatedAt` stays as it is. */
export async function recordSessionMetaFromInbound(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      ctx: MsgContext;
      groupResolution?: GroupKeyResolution | null;
      /** True unless given. */
      createIfMissing?: boolean;
    },
): Promise<SessionEntry | null> {
  const { ctx, groupResolution } = params;
  assertMessage(ctx);
  return recordInEntry(
    openAgentSessions(params),
    readClock(params),
    params.sessionKey,
    params.createIfMissing ?? true,
    (found) => deriveRecorded(ctx, found, groupResolution),
  );
}

/**
 * Records where the session's next reply goes. What is not given stays, as long as it belongs to the same channel and
 * address. `updatedAt` stays as it is. Null when there is no entry and none is to be made.
 */
export async function updateLastRoute(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      channel?: string;
      to?: string;
      accountId?: string;
      threadId?: string | number;
      deliveryContext?: DeliveryContext;
      /** The message that the route comes from, to be recorded with it. */
      ctx?: MsgContext;
      groupResolution?: GroupKeyResolution | null;
      /** True unless given. */
      createIfMissing?: boolean;
    },
): Promise<SessionEntry | null> {
  const { channel, to, accountId, threadId, ctx } = params;
  if (ctx !== undefined) assertMessage(ctx);
  const given = mergeDelivery(
    normalizeDeliveryContext({ channel, to, accountId, threadId }),
    normalizeDeliveryContext(params.deliveryContext),
  );
  return recordInEntry(
    openAgentSessions(params),
    readClock(params),
    params.sessionKey,
    params.createIfMissing ?? true,
    (found) => ({
      ...(ctx === undefined ? {} : deriveRecorded(ctx, found, params.groupResolution)),
      ...deliveryFields(found?.entry, mergeDelivery(given, readDelivery(found?.entry))),
    }),
  );
}

/** Whose session it is stays open where that is not sure: the first message that goes on in it decides. */
function deriveRecorded(
  ctx: MsgContext,
  found: StoredSession | undefined,
  group: GroupKeyResolution | null | undefined,
): Partial<SessionEntry> {
  const meta = deriveSessionMeta(ctx, found?.entry, group);
  if (found === undefined || !ctx.From || mayClaim(found, ctx)) return meta;
  const { from, exactFrom }: ExactOrigin = found.entry.origin ?? {};
  const origin: ExactOrigin = { ...meta.origin, from, exactFrom };
  return { ...meta, origin };
}

/**
 * Adds what a message or a delivery tells to the entry, without counting as use of the session: recorded before the
 * session is looked up, it would otherwise keep every session fresh for ever. A missing entry is made, or not; its
 * session begins with the first message.
 */
async function recordInEntry(
  agent: AgentSessions,
  clock: Clock,
  sessionKey: string,
  createIfMissing: boolean,
  patchOf: (found: StoredSession | undefined) => Partial<SessionEntry>,
): Promise<SessionEntry | null> {
  const asked = readOwnKey(agent, sessionKey);
  const recorded = await agent.store.updateMany(async (draft) => {
    const found = await locateEntry(draft, asked, agent);
    const key = found?.key ?? asked;
    if (isLive(found)) {
      draft.set(key, { ...found.entry, ...patchOf(found) });
      return draft.get(key);
    }
    if (!createIfMissing) return null;
    const fresh = await nameSession(agent, clock);
    const entry = markRecorded(startSession(draft, found, fresh, clock.now));
    draft.set(key, mergeSessionEntry(entry, patchOf(undefined), clock));
    return draft.get(key);
  });
  return copyJson(recorded ?? null);
}
