import { isDeepStrictEqual } from 'node:util';
import { OpenBotError, resolveSendPolicy, type StoredEntry } from '@openbot/sessions';
import { composeDeliveryMirror } from '@openbot/sessions/transcript';
import { replyAddressOf } from '../access/senders.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { DeliveryTarget, OutboundMessage, Outbox } from '../outbox/contract.ts';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { TurnWork } from '../queue/contract.ts';
import type { SentByTool } from '../tools/contract.ts';
import { isHeartbeat } from './heartbeat/heartbeat-message.ts';
import type { Turn } from './open-turn.ts';
import type { TurnTools } from './turn-tools.ts';

/** Where a message is answered. */
export function targetOfReply({ identity, ctx }: InboxMessage): DeliveryTarget {
  const { channel, accountId, conversationId } = identity;
  const threadId = ctx.MessageThreadId;
  return {
    channel,
    accountId,
    to: replyAddressOf(ctx, conversationId),
    ...(threadId !== undefined && { threadId }),
  };
}

/** Where the person is whom a turn works for. Neither another session nor a clock is one: they say where the person is. */
export function requesterOf(message: InboxMessage): DeliveryTarget {
  const { relay, deliverTo } = message.wish ?? {};
  const isForAnother = relay !== undefined || isHeartbeat(message);
  return (isForAnother ? deliverTo : undefined) ?? targetOfReply(message);
}

/**
 * Puts the replies of a turn into the outbox, if its session may send, and resolves to those. What the model did not say itself is noted in the
 * transcript, so that the agent knows what the person was told.
 */
export async function deliver(
  turn: Turn,
  session: { readonly entry?: StoredEntry; readonly sessionKey: string },
  payloads: readonly ReplyPayload[],
  isOurs = ({ isError }: ReplyPayload) => isError === true,
): Promise<readonly OutboundMessage[]> {
  const { tools, work, message } = turn;
  const wished = message.wish?.deliverTo;
  // A clock has no place where it could be answered.
  const own = isHeartbeat(message) ? [] : [targetOfReply(message)];
  const targets = [...own, ...(wished === undefined ? [] : [wished])];
  const { agentId, sessionKey, turnId } = work;
  const createdAt = tools.now();
  const messages: OutboundMessage[] = targets.flatMap((target, place) =>
    payloads.map((payload, n) => ({
      key: place === 0 ? `${turnId}:${n}` : `${turnId}:${n}:${place}`,
      agentId,
      sessionKey,
      turnId,
      target,
      payload,
      createdAt,
      // Clients read it in the events of the turn and in the transcript.
      ...(target.channel === WEB_CHANNEL && { isTold: true }),
    })),
  );
  return putReplies(
    tools,
    work,
    session,
    messages,
    (put) => session.entry && mirror(turn, session.entry, put.slice(0, payloads.length), isOurs),
  );
}

/**
 * The only way of replies into the outbox: to places that the session may send to, and from the process that holds its
 * lock. Another one may be making the reply that needs the same key. Resolves to what was put.
 */
export async function putReplies(
  tools: Pick<TurnTools, 'outbox' | 'config'>,
  { lock }: Pick<TurnWork, 'lock'>,
  session: { readonly entry?: StoredEntry; readonly sessionKey: string },
  messages: readonly OutboundMessage[],
  /** Writes beside it what was put. */
  note?: (put: readonly OutboundMessage[]) => Promise<void> | undefined,
): Promise<readonly OutboundMessage[]> {
  const allowed = messages.filter(({ target }) => maySend({ tools }, session, target));
  if (allowed.length === 0) return [];
  if (!lock.isHeld())
    throw new OpenBotError('RUN_LOCK_LOST', `Another process has taken over ${session.sessionKey}`);
  await Promise.all([tools.outbox.put(allowed), note?.(allowed)]);
  return allowed;
}

/** Whether a message of a turn is one of its replies, and not what a tool sent during the turn. */
export function isReply({ key, turnId }: OutboundMessage): boolean {
  return turnId !== undefined && /^:(?:\d+(?::\d+)?|failed)$/.test(key.slice(turnId.length));
}

/** The message that shows what is being written. */
export function draftKeyOf(turnId: string): string {
  return `${turnId}:draft`;
}

/** The reply that takes the place of the draft. */
export function firstReplyKeyOf(turnId: string): string {
  return `${turnId}:0`;
}

/** A part of the answer that is sent while the model goes on. */
export function blockKeyOf(turnId: string, n: number): string {
  return `${turnId}:block:${n}`;
}

/** Whether it was shown while the model wrote: the replies follow. */
function isStreamed({ key, turnId = '' }: OutboundMessage): boolean {
  return key === draftKeyOf(turnId) || isBlock({ key, turnId });
}

function isBlock({ key, turnId = '' }: Pick<OutboundMessage, 'key' | 'turnId'>): boolean {
  return /^:block:\d+$/.test(key.slice(turnId.length));
}

/** The blocks of the turn that were sent, also by a run of it that was cut off. */
export async function listBlocks(outbox: Pick<Outbox, 'ofTurn'>, turnId: string): Promise<readonly string[]> {
  return (await outbox.ofTurn(turnId)).filter(isBlock).map(({ payload }) => payload.text ?? '');
}

/** What tools sent to the person in an earlier run of the turn, which was cut off: the reply must not repeat it. */
export async function listSentBefore({ tools, work, message }: Turn): Promise<SentByTool[]> {
  if (!work.recovering) return [];
  const target = requesterOf(message);
  return (await tools.outbox.ofTurn(work.turnId))
    .filter((one) => !isReply(one) && !isStreamed(one) && isDeepStrictEqual(one.target, target))
    .map(({ payload }) => ({ text: payload.text ?? '', mediaUrls: payload.mediaUrls }));
}

export function maySend(
  { tools }: { readonly tools: Pick<TurnTools, 'config'> },
  { entry, sessionKey }: { readonly entry?: StoredEntry; readonly sessionKey: string },
  { channel }: DeliveryTarget,
): boolean {
  // A person at this machine, and another session, read the answer where it was asked for: nothing is sent.
  if (channel === LOCAL_CHANNEL || channel === SESSIONS_CHANNEL || channel === WEB_CHANNEL) return true;
  return resolveSendPolicy({ cfg: tools.config, entry, sessionKey, channel }) === 'allow';
}

/** Of messages that a person gives to this program instead of a chat network. */
export const LOCAL_CHANNEL = 'cli';

/** Of messages that clients of the gateway write, as OpenClaw calls it. Its token makes a client the owner. */
export const WEB_CHANNEL = 'webchat';

/** Of messages that sessions of an agent write to each other. */
export const SESSIONS_CHANNEL = 'sessions';

/** Once, also when the turn is repeated after a crash. */
export async function mirror(
  turn: Turn,
  entry: StoredEntry,
  messages: readonly Pick<OutboundMessage, 'key' | 'payload'>[],
  isOurs: (payload: ReplyPayload) => boolean,
): Promise<void> {
  const { transcripts } = turn.tools;
  const ref = turn.refOf(entry);
  const drafts = messages
    .filter(({ payload }) => isOurs(payload))
    .flatMap(({ key, payload }) => {
      const message = composeDeliveryMirror(payload, turn.startedAt);
      return message === undefined ? [] : [{ ...message, idempotencyKey: key }];
    });
  if (drafts.length === 0) return;
  const known = turn.work.recovering ? await transcripts.readContext(ref) : [];
  const missing = drafts.filter(
    ({ idempotencyKey: key }) => !known.some(({ message }) => message.idempotencyKey === key),
  );
  if (missing.length === 0) return;
  await transcripts.append(
    ref,
    missing.map((message) => ({ type: 'message', message })),
  );
}
