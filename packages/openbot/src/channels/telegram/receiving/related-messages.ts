import type { MsgContext } from '@openbot/sessions';
import { type Json, readObject } from '../../http/hostile-json.ts';
import { readInteger, readName, readText } from '../read-json.ts';

/** The message that this one answers. Every message of a topic names the one that began it, which is no answer. */
export function readReply(
  message: Json,
  me: { readonly id: number },
): { readonly fields: MsgContext; readonly isToBot: boolean } {
  const replied = readObject(message.reply_to_message);
  const id = readInteger(replied?.message_id);
  const topic = readObject(replied?.forum_topic_created);
  if (topic !== undefined) {
    const name = readName(topic.name);
    return { fields: name === undefined ? {} : { ThreadLabel: name }, isToBot: false };
  }
  if (replied === undefined || id === undefined) return { fields: {}, isToBot: false };
  const author = readObject(replied.sender_chat) ?? readObject(replied.from);
  const quote = readText(readObject(message.quote)?.text);
  const body = quote ?? readText(replied.text) ?? readText(replied.caption);
  const sender = readName(author?.title, author?.first_name, author?.last_name);
  return {
    fields: {
      ReplyToId: String(id),
      ...(body !== undefined && { ReplyToBody: body }),
      ...(sender !== undefined && { ReplyToSender: sender }),
      ...(quote !== undefined && { ReplyToIsQuote: true }),
    },
    isToBot: author?.id === me.id,
  };
}

/** Where a message comes from that was forwarded. */
export function readForward(message: Json): MsgContext {
  const origin = readObject(message.forward_origin);
  if (origin === undefined) return {};
  const source = readObject(origin.sender_user) ?? readObject(origin.sender_chat) ?? readObject(origin.chat);
  const id = readInteger(source?.id);
  const title = readName(source?.title);
  const name = title ?? readName(source?.first_name, source?.last_name) ?? readName(origin.sender_user_name);
  const username = readName(source?.username);
  const signature = readName(origin.author_signature);
  const date = readInteger(origin.date);
  return {
    ForwardedFrom: name ?? 'unknown',
    ...(typeof origin.type === 'string' && { ForwardedFromType: readName(origin.type) }),
    ...(id !== undefined && { ForwardedFromId: String(id) }),
    ...(username !== undefined && { ForwardedFromUsername: username }),
    ...(title !== undefined && { ForwardedFromTitle: title }),
    ...(signature !== undefined && { ForwardedFromSignature: signature }),
    ...(date !== undefined && { ForwardedDate: 1000 * date }),
  };
}
