import { hash } from 'node:crypto';
import { type MsgContext, OpenBotError } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import type { BotConfig, ChannelAccountSettings } from '../config/bot-config.ts';
import { resolveChannelSettings } from '../config/channels.ts';
import type { Inbox, InboxMessage, MessageIdentity } from '../inbox/contract.ts';
import type { OutboundMessage, Outbox } from '../outbox/contract.ts';
import type { SessionRef } from '../session-address.ts';
import { decideAccess } from './decide-access.ts';
import { requestPairing } from './pairing.ts';
import { followPairing } from './pairing-file.ts';
import { SenderLimits } from './sender-limits.ts';
import { isOneOf, isOwner, replyAddressOf, senderIdOf } from './senders.ts';
import { writePairingAnswer, writeTooFast } from './write-answers.ts';

const MINUTE = 60_000;
/** Messages of one person in a minute, where nothing is set. */
export const RATE_LIMIT = 20;
/** Messages of one sender that are not heard and noted all the same, in an hour. */
const NOTED_OF_SENDER = 20;
/** The newest of an account. */
const NOTED_OF_ACCOUNT = 1000;
/** How often messages of an account are held while it is not known who is paired: each time holds up those behind it. */
const MOST_HOLDS = 5;
/** Removing the older ones takes a look at all. */
const CLEAN_EVERY = 100;

export interface GateMessage {
  readonly identity: MessageIdentity;
  readonly ctx: MsgContext;
  /** Where an answer belongs. */
  route(): SessionRef;
}

export interface Gatekeeper {
  /** Whether a message would be heard now. Has no effect. */
  mayTalk(account: Account, ctx: MsgContext): boolean;
  /**
   * Undefined for a message that is heard. Any other one ends here: that it arrived is noted without its words, and a
   * stranger is told once how to be let in. Throws where that cannot be kept, and some times where the list of those who
   * are paired cannot be read.
   */
  stop(
    message: GateMessage,
  ): Promise<{ readonly message: InboxMessage; readonly isNew: boolean } | undefined>;
}

type Account = Pick<MessageIdentity, 'channel' | 'accountId'>;

export interface GatekeeperParts {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  /** ms */
  now(): number;
  /** Something is in the outbox. */
  onPut(): void;
  /** For the owner. */
  report(message: string): void;
}

/** Decides for all chat networks who is heard. */
export function openGatekeeper(parts: GatekeeperParts): Gatekeeper {
  const { config, stateDir, inbox, outbox, now, onPut, report } = parts;
  const read = followPairing(stateDir);
  /** By account, since the list of those who are paired could be read. */
  const holds = new Map<string, number>();
  const follow = () => {
    const file = read();
    holds.clear();
    return file;
  };
  const spoken = new SenderLimits(MINUTE);
  const noted = new SenderLimits(60 * MINUTE);
  let dropped = 0;

  const accessOf = (account: Account, settings: ChannelAccountSettings, ctx: MsgContext) => {
    const isPaired = () => {
      const people = follow().approved.filter((one) => isOf(one, account));
      return isOneOf(
        account.channel,
        ctx,
        people.map(({ id }) => id),
      );
    };
    return decideAccess(settings, account.channel, ctx, isPaired);
  };

  /** What becomes of a message where it is not known whether its sender is paired. */
  const withoutList = (account: Account, error: unknown): ReturnType<typeof decideAccess> => {
    if (!isUnreadable(error)) throw error;
    const name = JSON.stringify([account.channel, account.accountId]);
    const held = (holds.get(name) ?? 0) + 1;
    holds.set(name, held);
    if (held <= MOST_HOLDS) throw error;
    if (held === MOST_HOLDS + 1)
      report(
        `${error.message}. Until then ${account.channel} (account ${account.accountId}) hears nobody by pairing`,
      );
    return { is: 'refused', why: 'the list of paired people cannot be read' };
  };

  const accessOrHold: typeof accessOf = (account, ...about) => {
    try {
      return accessOf(account, ...about);
    } catch (error) {
      return withoutList(account, error);
    }
  };

  const limitOf = (account: Account, { rateLimit = RATE_LIMIT }: ChannelAccountSettings, ctx: MsgContext) =>
    rateLimit === 0 || isOwner(config, account, ctx) ? Number.POSITIVE_INFINITY : rateLimit;

  const tell = async ({ identity, ctx, route }: GateMessage, key: string, text: string) => {
    const { channel, accountId, conversationId } = identity;
    const { MessageThreadId: threadId } = ctx;
    const to = replyAddressOf(ctx, conversationId);
    const { agentId, sessionKey } = route();
    const message: OutboundMessage = {
      key,
      agentId,
      sessionKey,
      target: { channel, accountId, to, ...(threadId !== undefined && { threadId }) },
      payload: { text },
      createdAt: now(),
    };
    if ((await outbox.put([message])).length > 0) onPut();
  };

  const askForPairing = async (message: GateMessage) => {
    const { identity, ctx } = message;
    const { channel, accountId, conversationId } = identity;
    const meta = {
      ...(typeof ctx.SenderUsername === 'string' && { username: ctx.SenderUsername }),
      ...(typeof ctx.SenderName === 'string' && { firstName: ctx.SenderName }),
    };
    const to = replyAddressOf(ctx, conversationId);
    const person = { channel, accountId, id: senderIdOf(ctx) ?? '', to, meta };
    const request = await requestPairing(stateDir, person, now(), follow);
    if (request === undefined) return;
    // The same key for each message of the hour: a crash in between loses no answer, and nothing is told twice.
    const key = `pairing:${nameOf([channel, accountId, request.id])}:${request.code}`;
    await tell(message, key, writePairingAnswer(request));
  };

  /** Notes that a message arrived, so that its repeat has no effect. Of a flood only the beginning is noted. */
  const drop = async ({ identity, ctx }: GateMessage, why: string, isFlood: boolean) => {
    const SenderId = senderIdOf(ctx)?.slice(0, 256);
    const reason = `not heard: ${why}`;
    const end = { state: 'dropped', reason } as const;
    // Without a session: no history, transcript or queue finds it.
    const arrival = { identity, agentId: '', sessionKey: '', ctx: { SenderId }, receivedAt: now() };
    if (isFlood) return { message: { ...arrival, ...end, seq: 0, tries: 0 }, isNew: false };
    const kept = await inbox.accept(arrival, end);
    if (kept.isNew && ++dropped % CLEAN_EVERY === 0) await inbox.pruneUnheard(identity, NOTED_OF_ACCOUNT);
    return kept;
  };

  return {
    mayTalk: (account, ctx) => {
      const settings = resolveChannelSettings(config, account);
      try {
        if (accessOf(account, settings, ctx).is !== 'heard') return false;
      } catch (error) {
        if (isUnreadable(error)) return false;
        throw error;
      }
      return spoken.look(minuteOf(account, ctx, now()), now()) < limitOf(account, settings, ctx);
    },
    stop: async (message) => {
      const { identity, ctx } = message;
      const settings = resolveChannelSettings(config, identity);
      const access = accessOrHold(identity, settings, ctx);
      const limit = limitOf(identity, settings, ctx);
      if (access.is === 'heard' && limit === Number.POSITIVE_INFINITY) return undefined;
      // Networks repeat what they got no answer for: that is not the sender's doing.
      const known = await inbox.find(identity);
      if (known !== undefined) return { message: known, isNew: false };
      const count = access.is === 'heard' ? spoken.count(minuteOf(identity, ctx, now()), now()) : 0;
      if (access.is === 'heard' && count <= limit) return undefined;
      const isFlood = noted.count(senderOf(identity, ctx), now()) > NOTED_OF_SENDER;
      if (access.is === 'stranger' && !isFlood) await askForPairing(message);
      if (access.is === 'heard' && count === limit + 1 && isAddressed(ctx))
        await tell(message, `too-fast:${nameOf(Object.values(identity))}`, writeTooFast(limit));
      return drop(message, describe(access), isFlood);
    },
  };
}

function describe(access: ReturnType<typeof decideAccess>): string {
  switch (access.is) {
    case 'heard':
      return 'too many messages in a minute';
    case 'stranger':
      return 'the sender is not paired';
    case 'refused':
      return access.why;
  }
}

function isUnreadable(error: unknown): error is OpenBotError {
  return error instanceof OpenBotError && error.code === 'PAIRING_UNREADABLE';
}

/** A group that only talks is told nothing. */
function isAddressed(ctx: MsgContext): boolean {
  return !isGroupMessage(ctx) || ctx.WasMentioned === true;
}

function isOf(one: Account, { channel, accountId }: Account): boolean {
  return one.channel === channel && one.accountId === accountId;
}

function senderOf({ channel, accountId }: Account, ctx: MsgContext): string {
  return nameOf([channel, accountId, senderIdOf(ctx) ?? '']);
}

/** The sender in the minute of the message: after an outage a network delivers together what was written in hours. */
function minuteOf(account: Account, ctx: MsgContext, now: number): string {
  const { Timestamp: sentAt = now } = ctx;
  const at = Number.isFinite(sentAt) ? Math.min(sentAt, now) : now;
  return `${Math.floor(at / MINUTE)} ${senderOf(account, ctx)}`;
}

/** Parts of a key may be of any length, and have any character. */
function nameOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 24);
}
