import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import { isAuthorizedSender } from '@openbot/sessions/policy';
import type { Channel } from '../channels/contract.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Arrival } from '../inbox/contract.ts';
import type { Asker } from '../permissions/contract.ts';
import type { ConversationDesk, TakenAnswer } from '../questions/conversation-desk.ts';
import { finalizeInboundContext } from '../turn/inbound/finalize-inbound-context.ts';
import type { QuestionPlace, TurnTools } from '../turn/turn-tools.ts';

interface Parts {
  readonly config: BotConfig;
  readonly desk: ConversationDesk;
}

/** How the person who wrote a message is asked; a text says why they cannot be. */
export function findAsker(
  { config, desk, channels }: Parts & { readonly channels: readonly Channel[] },
  { turnId, message, target }: QuestionPlace,
): Asker | string {
  const { agentId, sessionKey, identity, ctx } = message;
  // Their answer would come to the process that has the channel open.
  const isOpen = channels.some(
    ({ name, accountId }) => name === target.channel && accountId === target.accountId,
  );
  if (!isOpen) return 'there is no terminal, and this process has no channel to the conversation';
  // In a group another member may answer.
  if (!isGroupMessage(ctx) && !mayAnswer(config, identity, ctx))
    return `the person who wrote may not give commands (channels.${identity.channel}.allowFrom)`;
  return desk.askerFor({ agentId, sessionKey, turnId, conversation: identity, target });
}

/** A message that answers a question of its conversation, from a sender who may give commands. */
export async function takeAnswer(
  { config, desk, mentions }: Parts & Pick<TurnTools, 'mentions'>,
  { identity, ctx }: Arrival,
): Promise<TakenAnswer | undefined> {
  if (!mayAnswer(config, identity, ctx)) return undefined;
  const { BodyForCommands: text } = finalizeInboundContext(ctx, mentions);
  return desk.take({ identity, text, replyToId: ctx.ReplyToId, replyToText: ctx.ReplyToBody });
}

function mayAnswer(config: BotConfig, { channel }: Arrival['identity'], ctx: MsgContext): boolean {
  return isAuthorizedSender({ ctx, allowFrom: config.channels?.[channel]?.allowFrom });
}
