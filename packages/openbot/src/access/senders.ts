/** What a sender may do, by ids alone: a name can be changed, and taken by another person. */
import type { MsgContext } from '@openbot/sessions';
import { isAuthorizedSender, isEverybody } from '@openbot/sessions/policy';
import { findNormalizeId } from '../channels/spellings.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { resolveChannelSettings } from '../config/channels.ts';

export interface ChannelAccount {
  readonly channel: string;
  readonly accountId?: string;
}

type Ids = readonly (string | number)[];

/** What the network calls a sender, as it is. */
export function senderIdOf(ctx: MsgContext): string | undefined {
  return [ctx.SenderId, ctx.SenderE164, ctx.From].find((id) => id);
}

/** Where an answer to the sender belongs, as the network gave it. */
export function replyAddressOf({ OriginatingTo: to }: MsgContext, conversationId: string): string {
  return to?.trim() ? to : conversationId;
}

/** Whether a list has the sender, or `*`. */
export function isListed(channel: string, ctx: MsgContext, ids: Ids = []): boolean {
  // Without a list it is the adapter's word that counts there.
  if (ids.length === 0) return false;
  const { CommandAuthorized: _, ...facts } = ctx;
  return isAmong(channel, facts, ids);
}

/** Whether the sender is one of these people, whose ids are as this network gave them. */
export function isOneOf(channel: string, ctx: MsgContext, ids: readonly string[]): boolean {
  const id = senderIdOf(ctx);
  if (id !== undefined && ids.includes(id)) return true;
  return isListed(
    channel,
    ctx,
    ids.map((one) => `${channel}:${one}`),
  );
}

/** Whether the sender may give commands of the bot. Being heard, also by pairing, is not enough. */
export function mayCommand(
  config: Pick<BotConfig, 'channels' | 'commands'>,
  account: ChannelAccount,
  ctx: MsgContext,
): boolean {
  if (isOwner(config, account, ctx)) return true;
  return isAmong(account.channel, ctx, resolveChannelSettings(config, account).allowFrom);
}

/** Whether the sender may decide for the agent, and give those commands that are for owners. `*` makes no owner. */
export function isOwner(
  config: Pick<BotConfig, 'channels' | 'commands'>,
  account: ChannelAccount,
  ctx: MsgContext,
): boolean {
  const owners = config.commands?.ownerAllowFrom ?? resolveChannelSettings(config, account).allowFrom ?? [];
  const named = owners.filter((id) => !isEverybody(id));
  // A list of nobody is a list: the adapter's word does not count beside it.
  if (config.commands?.ownerAllowFrom !== undefined && named.length === 0) return false;
  return isAmong(account.channel, ctx, named);
}

/** Without names, and of this channel alone, whose name may be in front of an id (`telegram:777`). */
function isAmong(
  channel: string,
  { SenderUsername: _, SenderTag: __, ...ctx }: MsgContext,
  allowFrom: Ids | undefined,
): boolean {
  const facts = { ...ctx, Provider: channel, Surface: channel, OriginatingChannel: channel };
  return isAuthorizedSender({ ctx: facts, allowFrom, normalizeId: findNormalizeId(channel) });
}
