import type { DeliveryContext } from '../../entry/delivery-context.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import type { GroupKeyResolution } from '../../key/group.ts';
import type { MsgContext } from '../../message/msg-context.ts';
import { type AgentSessionsParams, openAgentSessions } from '../agent-sessions.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { assertMessage } from '../init/assert-message.ts';
import { deliveryFields, mergeDelivery, normalizeDeliveryContext, readDelivery } from './delivery-route.ts';
import { deriveSessionMeta } from './inbound-meta.ts';
import { recordInEntry } from './inbound-record.ts';

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
    (entry) => ({
      ...(ctx === undefined ? {} : deriveSessionMeta(ctx, entry, params.groupResolution)),
      ...deliveryFields(entry, mergeDelivery(given, readDelivery(entry))),
    }),
  );
}
