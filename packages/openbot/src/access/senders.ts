/** What a sender may do, by ids alone: a name can be changed, and taken by another person. */
import type { MsgContext } from '@openbot/sessions';
import { isAuthorizedSender } from '@openbot/sessions/policy';
import type { BotConfig } from '../config/bot-config.ts';
import { resolveChannelSettings } from '../config/channels.ts';

export interface ChannelAccount {
  readonly channel: string;
  readonly accountId?: string;
}

type Ids = readonly (string | number)[];

/** What the network calls a sender. */
export function senderIdOf(ctx: MsgContext): string | undefined {
  const [id] = [ctx.SenderId, ctx.SenderE164, ctx.From].flatMap((one) => one?.trim() || []);
  return id;
}

/** Whether a list has the sender, or `*`. */
export function isListed(channel: string, ctx: MsgContext, ids: Ids = []): boolean {
  // Without a list it is the adapter's word that counts there.
  if (ids.length === 0) return false;
  const { CommandAuthorized: _, ...facts } = factsOf(channel, ctx);
  return isAuthorizedSender({ ctx: facts, allowFrom: ids });
}

/** Whether the sender is one of these people, whose ids are as this network gave them. */
export function isOneOf(channel: string, ctx: MsgContext, ids: readonly string[]): boolean {
  const prefix = `${channel}:`;
  const named = ids.map((id) => (id.toLowerCase().startsWith(prefix) ? id : `${prefix}${id}`));
  return isListed(channel, ctx, named);
}

/** Whether the sender may give commands of the bot. Being heard, also by pairing, is not enough. */
export function mayCommand(
  config: Pick<BotConfig, 'channels' | 'commands'>,
  account: ChannelAccount,
  ctx: MsgContext,
): boolean {
  if (isOwner(config, account, ctx)) return true;
  const { allowFrom } = resolveChannelSettings(config, account);
  return isAuthorizedSender({ ctx: factsOf(account.channel, ctx), allowFrom });
}

/** Whether the sender may decide for the agent, and give those commands that are for owners. `*` makes no owner. */
export function isOwner(
  config: Pick<BotConfig, 'channels' | 'commands'>,
  account: ChannelAccount,
  ctx: MsgContext,
): boolean {
  const owners = config.commands?.ownerAllowFrom ?? resolveChannelSettings(config, account).allowFrom ?? [];
  const named = owners.filter((id) => String(id).trim() !== '*');
  // A list of nobody is a list: the adapter's word does not count beside it.
  if (config.commands?.ownerAllowFrom !== undefined && named.length === 0) return false;
  return isAuthorizedSender({ ctx: factsOf(account.channel, ctx), allowFrom: named });
}

/** Without names, and of this channel alone, whose name may be in front of an id (`telegram:777`). */
function factsOf(channel: string, { SenderUsername: _, SenderTag: __, ...ctx }: MsgContext): MsgContext {
  return { ...ctx, Provider: channel, Surface: channel, OriginatingChannel: channel };
}
