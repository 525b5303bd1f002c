import type { StoredEntry } from '@openbot/sessions';
import type { Heartbeat } from '../config/heartbeats.ts';
import type { Arrival } from '../inbox/contract.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { LOCAL_CHANNEL } from '../turn/deliver.ts';
import { HEARTBEAT_CHANNEL } from '../turn/heartbeat/heartbeat-message.ts';
import { formatEventTime } from '../turn/inbound/prepend-system-events.ts';
import { HEARTBEAT_TOKEN } from '../turn/reply/tokens.ts';

export const HEARTBEAT_ACCOUNT = 'default';

/** `occ` recognises it by its first words: they are not those of a person. */
export const HEARTBEAT_PROMPT = `Heartbeat. Work through HEARTBEAT.md of your workspace, if there is one, and through nothing else: tasks of earlier conversations are not meant. If nothing needs the person's attention, reply ${HEARTBEAT_TOKEN} and nothing more. Otherwise reply with what the person should know, without ${HEARTBEAT_TOKEN}.`;

/**
 * One interval has one message, whichever process makes it.
 *
 * @param slot when the interval began, ms
 */
export function composeHeartbeat(
  heartbeat: Heartbeat,
  session: SessionRef,
  at: { readonly slot: number; readonly now: number; readonly deliverTo: DeliveryTarget | undefined },
): Arrival {
  const { prompt = HEARTBEAT_PROMPT, model, timeZone } = heartbeat;
  const { slot, now, deliverTo } = at;
  return {
    identity: { ...conversationOf(session), messageId: new Date(slot).toISOString() },
    ...session,
    ctx: {
      RawBody: `${prompt}\n\nIt is ${formatEventTime(now, timeZone)}.`,
      Provider: HEARTBEAT_CHANNEL,
      ChatType: 'direct',
      CommandAuthorized: false,
    },
    wish: { model, deliverTo },
    receivedAt: now,
  };
}

export function conversationOf(session: SessionRef): Omit<Arrival['identity'], 'messageId'> {
  return {
    channel: HEARTBEAT_CHANNEL,
    accountId: HEARTBEAT_ACCOUNT,
    conversationId: addressOf(session),
  };
}

/** Undefined where there is no place: the heartbeat then works without telling anyone. */
export function findHeartbeatTarget(
  { target, to, accountId }: Pick<Heartbeat, 'target' | 'to' | 'accountId'>,
  entry: Pick<StoredEntry, 'deliveryContext'> | undefined,
  channels: readonly { readonly name: string; readonly accountId: string }[],
): DeliveryTarget | undefined {
  if (target === 'none') return undefined;
  const last = entry?.deliveryContext;
  const channel = target === 'last' ? last?.channel : target;
  if (channel === undefined || channel === LOCAL_CHANNEL) return undefined;
  const isSame = channel === last?.channel;
  const recipient = to ?? (isSame ? last?.to : undefined);
  if (recipient === undefined) return undefined;
  const open = channels.find(({ name }) => name === channel)?.accountId;
  return {
    channel,
    accountId: accountId ?? (isSame ? last?.accountId : undefined) ?? open ?? 'default',
    to: recipient,
    threadId: isSame && recipient === last?.to ? last?.threadId : undefined,
  };
}
