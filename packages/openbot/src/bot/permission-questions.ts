import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import { isOwner, replyAddressOf } from '../access/senders.ts';
import type { Channel } from '../channels/contract.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Arrival } from '../inbox/contract.ts';
import type { Asker } from '../permissions/contract.ts';
import type { Conversation, ConversationDesk, TakenAnswer } from '../questions/conversation-desk.ts';
import { WEB_CHANNEL } from '../turn/deliver.ts';
import { finalizeInboundContext } from '../turn/inbound/finalize-inbound-context.ts';
import type { QuestionPlace, TurnTools } from '../turn/turn-tools.ts';

interface Parts {
  readonly config: BotConfig;
  readonly desk: ConversationDesk;
}

/** How the person whom a turn works for is asked; a text says why they cannot be. */
export function findAsker(
  { config, desk, channels }: Parts & { readonly channels: readonly Channel[] },
  { turnId, message, target }: QuestionPlace,
): Asker | string {
  const { agentId, sessionKey } = message;
  const { conversation, ctx } = personAt(message, target);
  // Their answer would come to the process that has the channel open.
  const isOpen = channels.some(
    ({ name, accountId }) => name === target.channel && accountId === target.accountId,
  );
  if (!isOpen) return 'there is no terminal, and this process has no channel to the conversation';
  // In a group another member may answer, and in a session of the gateway another client.
  const isOpenToOthers = isGroupMessage(ctx) || conversation.channel === WEB_CHANNEL;
  if (!isOpenToOthers && !isTrustedSender(config, conversation, ctx))
    return `the person who wrote is no owner (commands.ownerAllowFrom, or channels.${conversation.channel}.allowFrom)`;
  return desk.askerFor({ agentId, sessionKey, turnId, conversation, target });
}

/** A message of another session, or of a clock, was written by no person: the one at the target is meant. */
function personAt(
  { identity, ctx }: QuestionPlace['message'],
  { channel, accountId, to }: QuestionPlace['target'],
): { conversation: Conversation; ctx: MsgContext } {
  if (identity.channel === channel) return { conversation: identity, ctx };
  return {
    conversation: { channel, accountId, conversationId: to },
    ctx: { ChatType: ctx.ChatType, Provider: channel, From: to },
  };
}

/** A message that answers a question of its conversation. Its sender may do so. */
export async function takeAnswer(
  { desk, mentions }: Pick<Parts, 'desk'> & Pick<TurnTools, 'mentions'>,
  { identity, ctx }: Arrival,
): Promise<TakenAnswer | undefined> {
  const { BodyForCommands: text } = finalizeInboundContext(ctx, mentions);
  const answer = { text, replyToId: ctx.ReplyToId, replyToText: ctx.ReplyToBody };
  // A question of a turn that no person began is known by the address that it was sent to.
  const conversationId = replyAddressOf(ctx, identity.conversationId);
  return (
    (await desk.take({ identity, ...answer })) ??
    (conversationId === identity.conversationId
      ? undefined
      : desk.take({ identity: { ...identity, conversationId }, ...answer }))
  );
}

/** Whether the sender of a message may decide for the agent. */
export function isTrustedSender(config: BotConfig, conversation: Conversation, ctx: MsgContext): boolean {
  return isOwner(config, conversation, ctx);
}
