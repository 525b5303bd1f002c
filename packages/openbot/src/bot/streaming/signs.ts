/** Small signs that a message was taken and that an answer is on its way, where networks have them. */
import { isGroupMessage } from '@openbot/sessions/key';
import type { Channel } from '../../channels/contract.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { resolveChannelSettings } from '../../config/channels.ts';
import type { InboxMessage } from '../../inbox/contract.ts';
import type { TurnWork } from '../../queue/contract.ts';
import { targetOfReply } from '../../turn/deliver.ts';
import { isHeartbeat } from '../../turn/heartbeat/heartbeat-message.ts';
import type { BotParts } from '../bot-parts.ts';

/** Where the network does not say. */
const ACTIVITY_MS = 4000;
/** An answer that comes at once needs no sign, and a sign that it overtakes would be shown behind it. */
const FIRST_ACTIVITY_MS = 250;

/** Shows that an answer is being written, until the returned function is called. */
export function showActivity(
  { channels, tools }: Pick<BotParts, 'channels' | 'tools'>,
  { messages }: Pick<TurnWork, 'messages'>,
): () => void {
  const message = messages.at(-1);
  if (message === undefined || isHeartbeat(message) || tools.kindOf(message) !== 'text') return () => {};
  const target = targetOfReply(message);
  let isOver = false;
  const show = () => {
    const channel = channels.find(target);
    if (isOver || !channel?.capabilities.canShowActivity) return;
    // It is no loss: the answer comes.
    channel.showActivity?.(target, { id: message.identity.messageId }).catch(() => {});
    cancel = tools.clock.after(channel.capabilities.activityMs ?? ACTIVITY_MS, show);
  };
  let cancel = tools.clock.after(FIRST_ACTIVITY_MS, show);
  return () => {
    isOver = true;
    cancel();
  };
}

/** Puts the reaction of the configuration under a message that gets a turn. */
export function acknowledge(channel: Channel, config: BotConfig, message: InboxMessage): void {
  const emoji = ackOf(config, message);
  if (emoji === undefined || !channel.capabilities.canReact) return;
  channel.react?.(targetOfReply(message), message.identity.messageId, emoji).catch(() => {});
}

/** Those of a turn that has its reply, where they are not to stay. */
export function takeAcksAway(
  { channels, tools: { config } }: Pick<BotParts, 'channels' | 'tools'>,
  messages: readonly InboxMessage[],
): void {
  if (config.messages?.removeAckAfterReply !== true) return;
  for (const message of messages) {
    const channel = channels.find(message.identity);
    if (ackOf(config, message) === undefined || !channel?.capabilities.canReact) continue;
    channel.react?.(targetOfReply(message), message.identity.messageId, undefined).catch(() => {});
  }
}

function ackOf(config: BotConfig, { identity, ctx }: InboxMessage): string | undefined {
  const { ackReaction, ackReactionScope = 'group-mentions' } = config.messages ?? {};
  const emoji = (resolveChannelSettings(config, identity).ackReaction ?? ackReaction ?? '').trim();
  if (emoji === '') return undefined;
  const isGroup = isGroupMessage(ctx);
  const isMeant = {
    all: true,
    direct: !isGroup,
    'group-all': isGroup,
    'group-mentions': isGroup && ctx.WasMentioned === true,
    off: false,
    none: false,
  }[ackReactionScope];
  return isMeant ? emoji : undefined;
}
