import type { MsgContext, SessionEntry } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import type { ChannelAccountSettings } from '../../config/bot-config.ts';
import { resolveGroupSettings } from '../../config/channels.ts';
import { hasMention, type MentionWords } from '../words/strip-mentions.ts';

export type GroupActivation = NonNullable<SessionEntry['groupActivation']>;

/** What the person set for the session wins over the configuration. Without either, the agent waits to be mentioned. */
export function resolveGroupActivation(params: {
  entry?: Pick<SessionEntry, 'groupActivation'>;
  groups?: ChannelAccountSettings['groups'];
  ctx: MsgContext;
}): GroupActivation {
  const { entry, groups, ctx } = params;
  // Other programs write the entry too.
  const set = String(entry?.groupActivation ?? '')
    .trim()
    .toLowerCase();
  if (set === 'always' || set === 'mention') return set;
  return resolveGroupSettings(groups, ctx)?.requireMention === false ? 'always' : 'mention';
}

export interface Addressing {
  readonly isAddressed: boolean;
  readonly why: 'direct' | 'always' | 'mentioned' | 'reply' | 'command' | 'not-addressed';
}

/** Whether a message is for the agent. One that is not stays in the history of its group. */
export function decideAddressing(params: {
  ctx: MsgContext;
  activation: GroupActivation;
  mentions: MentionWords;
  /** The message answers one of the agent's. */
  isReplyToAgent?: boolean;
  /** The message is a command, and its sender may give commands. */
  isAuthorizedCommand?: boolean;
}): Addressing {
  const { ctx, activation, isReplyToAgent = false, isAuthorizedCommand = false } = params;
  const mentions = { botUsername: ctx.BotUsername, ...params.mentions };
  const text = [ctx.CommandBody, ctx.RawBody, ctx.Body, ctx.Transcript].find(
    (body) => typeof body === 'string' && body !== '',
  );
  if (!isGroupMessage(ctx)) return { isAddressed: true, why: 'direct' };
  if (ctx.WasMentioned === true || hasMention(text ?? '', mentions))
    return { isAddressed: true, why: 'mentioned' };
  if (isReplyToAgent || isReplyTo(ctx, mentions.botUsername)) return { isAddressed: true, why: 'reply' };
  if (isAuthorizedCommand) return { isAddressed: true, why: 'command' };
  if (activation === 'always') return { isAddressed: true, why: 'always' };
  return { isAddressed: false, why: 'not-addressed' };
}

/** For channels that tell the name of whom a message answers. Names can be chosen; a username cannot be shared. */
function isReplyTo(ctx: MsgContext, botUsername: string | undefined): boolean {
  const name = botUsername?.trim().replace(/^@/, '').toLowerCase() ?? '';
  return name !== '' && ctx.ReplyToSender?.trim().replace(/^@/, '').toLowerCase() === name;
}
