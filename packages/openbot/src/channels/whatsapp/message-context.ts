import type { MsgContext } from '@openbot/sessions';
import type { MessageContent } from './message-content.ts';
import type { ArrivedMessage } from './read-webhook.ts';

export const WHATSAPP = 'whatsapp';

/**
 * The message in the words of OpenClaw. The user id is the sender, so that a session stays with the person when the number is
 * hidden; replies go to the number where there is one, as WhatsApp asks for, else to the user id.
 */
export function messageContext(
  { id, timestamp, sender, ownNumber }: ArrivedMessage,
  { text, replyToId, isForwarded }: MessageContent,
  accountId: string,
): MsgContext {
  return {
    Body: text,
    RawBody: text,
    CommandBody: text,
    From: `${WHATSAPP}:${sender.id}`,
    To: `${WHATSAPP}:${ownNumber ?? accountId}`,
    AccountId: accountId,
    ChatType: 'direct',
    Provider: WHATSAPP,
    Surface: WHATSAPP,
    OriginatingChannel: WHATSAPP,
    OriginatingTo: `${WHATSAPP}:${sender.number ?? sender.id}`,
    ConversationLabel: sender.name ?? sender.number ?? sender.id,
    SenderId: sender.id,
    ...(sender.number && { SenderE164: sender.number }),
    ...(sender.name && { SenderName: sender.name }),
    ...(sender.username && { SenderUsername: sender.username }),
    MessageSid: id,
    ...(timestamp !== undefined && { Timestamp: timestamp }),
    ...(replyToId && { ReplyToId: replyToId }),
    ...(isForwarded && { ForwardedFrom: 'another chat' }),
  };
}
