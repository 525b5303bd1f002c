import { normalizeAgentId } from '@openbot/sessions';
import { normalizeAccountId } from '@openbot/sessions/key';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { anyValue, filledText, maybe, object, text } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { OutboundMessage } from '../outbox/contract.ts';
import { hasNothingButMedia, pickChannelData, type ReplyPayload } from '../outbox/reply-payload.ts';
import { resolveAddress } from '../routing/request-route.ts';
import { mirrorLetter } from '../state/mirror-letter.ts';
import { describeChannelsFor, mayWriteTo } from './channels.ts';
import { type GatewayServices, gatewayMethod } from './services.ts';
import { assertAgent, canSee } from './sessions/session-ref.ts';

/** A process that has the channel sends at once. */
const WAIT_MS = 10_000;

interface Letter {
  readonly channel?: string;
  readonly accountId?: string;
  readonly agentId?: string;
  readonly to: string;
  readonly threadId?: string | number;
  readonly text?: string;
  readonly mediaUrl?: string;
  readonly replyToId?: string;
  readonly channelData?: ReplyPayload['channelData'];
  readonly idempotencyKey: string;
}

const send = gatewayMethod({
  name: 'send',
  scope: 'operator.write',
  params: {
    to: filledText,
    message: maybe(text),
    channel: maybe(filledText),
    accountId: maybe(filledText),
    agentId: maybe(filledText),
    threadId: maybe(anyValue),
    replyToId: maybe(filledText),
    mediaUrl: maybe(filledText),
    channelData: maybe(object),
    idempotencyKey: filledText,
  },
  handle: async ({ message, threadId, ...params }, call) => {
    const { chatId: _, ...sent } = await sendLetter(
      { ...params, text: message, threadId: readThread(threadId) },
      call,
    );
    return { runId: params.idempotencyKey, ...sent };
  },
});

const action = gatewayMethod({
  name: 'message.action',
  scope: 'operator.write',
  params: {
    channel: maybe(filledText),
    action: filledText,
    params: object,
    accountId: maybe(filledText),
    agentId: maybe(filledText),
    idempotencyKey: filledText,
  },
  handle: async ({ action: wanted, params: given, ...params }, call) => {
    if (wanted !== 'send') throw refuse('INVALID_REQUEST', `unsupported action: ${wanted}`);
    const read = (name: string) => readText(given, name);
    const to = read('to') ?? read('target');
    if (to === undefined)
      throw refuse('INVALID_REQUEST', "invalid message.action params: must have required property 'to'");
    const letter = {
      ...params,
      channel: params.channel ?? read('channel'),
      accountId: params.accountId ?? read('accountId'),
      to,
      text: read('message'),
      mediaUrl: read('mediaUrl') ?? read('media'),
      replyToId: read('replyToId') ?? read('replyTo'),
      threadId: readThread(given.threadId),
      channelData: readChannelData(given.channelData),
    };
    if (given.dryRun === true) {
      const { message } = await addressLetter(letter, call);
      return { ok: true, dryRun: true, channel: message.target.channel, to: message.target.to };
    }
    const { channel: _, ...sent } = await sendLetter(letter, call);
    return { ok: true, ...sent, receipt: {} };
  },
});

/** Puts a letter into the outbox of the host and waits for its end. The same key gives the first result again. */
async function sendLetter(letter: Letter, call: MethodCall<GatewayServices>) {
  const { host, state } = call.services;
  const { message, isOpen } = await addressLetter(letter, call);
  const { channel, to } = message.target;
  if (!isOpen)
    throw refuse('UNAVAILABLE', `The channel ${channel} is configured, and no process has it open`, {
      details: { code: 'CHANNEL_NOT_OPEN' },
    });
  // Here and not by the host: of equal requests at the same time, one is told that it was the first.
  const isNew = (await state.outbox.put([message])).length === 1;
  if (!isNew) assertSame(message, await state.outbox.get(message.key));
  const end = await host.calls.send(message, WAIT_MS);
  if (isNew) await mirrorLetter(call.services, message, end);
  if (end.state === 'sent') {
    const { error: mediaError } = end;
    const [messageId] = end.ids;
    // The chat got a note instead of the file.
    if (mediaError !== undefined && hasNothingButMedia(message.payload))
      throw refuse('UNAVAILABLE', `OutboundDeliveryError: the media was not sent: ${mediaError}`, {
        details: { code: 'OUTBOUND_MEDIA_NOT_SENT', messageId },
      });
    return { messageId, channel, chatId: to, ...(mediaError !== undefined && { mediaError }) };
  }
  if (end.state === 'dead')
    throw refuse('UNAVAILABLE', `OutboundDeliveryError: ${end.error ?? `${channel} refused it`}`, {
      details: { code: 'OUTBOUND_DELIVERY_FAILED' },
    });
  throw refuse('UNAVAILABLE', `OutboundDeliveryError: ${end.error ?? `${channel} has not taken it yet`}`, {
    details: { code: 'OUTBOUND_DELIVERY_QUEUED' },
  });
}

function assertSame({ target, payload }: OutboundMessage, kept: OutboundMessage | undefined): void {
  const isSame =
    kept === undefined ||
    (JSON.stringify(payload) === JSON.stringify(kept.payload) &&
      target.channel === kept.target.channel &&
      target.to === kept.target.to);
  if (!isSame)
    throw refuse('INVALID_REQUEST', 'This idempotency key was already used for another message', {
      details: { reason: 'send-request-conflict' },
    });
}

/** Which channel, account, agent and session a letter is of. Throws where there is no such channel. */
async function addressLetter(letter: Letter, call: MethodCall<GatewayServices>) {
  const { config, now } = call.services;
  const { text: words, mediaUrl, replyToId, threadId } = letter;
  // A client is not at this machine: it must not have files of it sent.
  if (mediaUrl !== undefined && !/^https:\/\//i.test(mediaUrl))
    throw refuse('INVALID_REQUEST', 'mediaUrl must be an https address');
  if (letter.agentId !== undefined) assertAgent(call, normalizeAgentId(letter.agentId));
  const { channelAccounts } = describeChannelsFor(call);
  const channel = chooseChannel(letter, Object.keys(channelAccounts));
  const data = pickChannelData(letter.channelData, channel);
  if (mediaUrl === undefined && hasNothingButMedia({ text: words, ...data }))
    throw refuse('INVALID_REQUEST', 'message or media required');
  const accountId = normalizeAccountId(letter.accountId);
  const account = channelAccounts[channel]!.find((one) => one.accountId === accountId);
  if (account === undefined)
    throw refuse('INVALID_REQUEST', `unsupported account: ${accountId} of ${channel}`);
  const to = letter.to.replace(new RegExp(`^${channel}:`, 'i'), '');
  const agentId = letter.agentId && normalizeAgentId(letter.agentId);
  const route = resolveAddress({ config, agentId, to: letter.to, channel, accountId });
  // The caller did not name that agent, and is not told of it.
  if (!canSee(call, route.agentId) || !mayWriteTo(call, { channel, accountId, to: letter.to }))
    throw refuse('INVALID_REQUEST', `unsupported channel: ${channel}`);
  const message: OutboundMessage = {
    key: `send:${route.agentId}:${letter.idempotencyKey}`,
    agentId: route.agentId,
    sessionKey: route.sessionKey,
    target: { channel, accountId, to, threadId },
    payload: {
      text: words,
      replyToId,
      ...(mediaUrl !== undefined && { mediaUrl, mediaUrls: [mediaUrl] }),
      ...data,
    },
    createdAt: now(),
  };
  return { message, isOpen: account.running };
}

function chooseChannel({ channel, to }: Letter, known: readonly string[]): string {
  const [prefix = ''] = to.toLowerCase().split(':');
  const wanted = channel?.trim().toLowerCase() ?? known.find((name) => name === prefix) ?? known[0];
  if (channel === undefined && known.length === 0)
    throw refuse('INVALID_REQUEST', 'No channel is configured: add one to channels of openbot.json');
  if (channel === undefined && known.length > 1 && wanted !== prefix)
    throw refuse('INVALID_REQUEST', `channel required: ${known.join(', ')}`);
  if (!known.includes(wanted!)) throw refuse('INVALID_REQUEST', `unsupported channel: ${wanted}`);
  return wanted!;
}

function readText(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readThread(value: unknown): string | number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw refuse('INVALID_REQUEST', 'invalid send params: at /threadId: must be string');
}

function readChannelData(value: unknown): ReplyPayload['channelData'] {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refuse('INVALID_REQUEST', 'invalid message.action params: at /params/channelData: must be object');
}

export const SENDING_METHODS = [send, action];
