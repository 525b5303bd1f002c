import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import type { ChannelAccountSettings } from '../config/bot-config.ts';
import { resolveGroupSettings } from '../config/channels.ts';
import { isListed, senderIdOf } from './senders.ts';

export type Access =
  | { readonly is: 'heard' }
  /** A person who may ask to be let in. */
  | { readonly is: 'stranger' }
  | { readonly is: 'refused'; readonly why: string };

/** Whether a message is heard. Links between identities let nobody in: they only say which session is meant. */
export function decideAccess(
  settings: ChannelAccountSettings,
  channel: string,
  ctx: MsgContext,
  isPaired: () => boolean,
): Access {
  return isGroupMessage(ctx)
    ? decideInGroup(settings, channel, ctx)
    : decideDirect(settings, channel, ctx, isPaired);
}

const HEARD: Access = { is: 'heard' };

function refuse(why: string): Access {
  return { is: 'refused', why };
}

function decideDirect(
  { dmPolicy = 'pairing', allowFrom }: ChannelAccountSettings,
  channel: string,
  ctx: MsgContext,
  isPaired: () => boolean,
): Access {
  if (dmPolicy === 'disabled') return refuse('direct messages are off (dmPolicy)');
  if (dmPolicy === 'open' || isListed(channel, ctx, allowFrom)) return HEARD;
  if (dmPolicy === 'allowlist') return refuse('the sender is not in allowFrom');
  if (senderIdOf(ctx) === undefined) return refuse('the sender has no id');
  return isPaired() ? HEARD : { is: 'stranger' };
}

function decideInGroup(settings: ChannelAccountSettings, channel: string, ctx: MsgContext): Access {
  const group = resolveGroupSettings(settings.groups, ctx);
  const policy = group?.groupPolicy ?? settings.groupPolicy ?? 'allowlist';
  if (policy === 'disabled' || group?.enabled === false) return refuse('the group is off');
  const isNamed = group !== undefined || (settings.groups === undefined && policy === 'open');
  if (!isNamed) return refuse('the group is not in groups');
  const people =
    group?.allowFrom ??
    (policy === 'open' ? undefined : (settings.groupAllowFrom ?? settings.allowFrom ?? []));
  if (people === undefined || isListed(channel, ctx, people)) return HEARD;
  return refuse('the sender is not among those who may talk in the group');
}
