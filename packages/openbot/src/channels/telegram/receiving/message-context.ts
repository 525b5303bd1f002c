import type { MsgContext } from '@openbot/sessions';
import { type Json, readObject, readObjects } from '../../http/hostile-json.ts';
import { readInteger, readName, readText } from '../read-json.ts';
import { GENERAL_TOPIC } from '../target.ts';
import { readForward, readReply } from './related-messages.ts';

export interface BotUser {
  readonly id: number;
  readonly username?: string;
}

/** A message as the inbox is given it, without its files. */
export interface ReadMessage {
  readonly conversationId: string;
  readonly messageId: string;
  readonly ctx: MsgContext;
}

export interface ReadOptions {
  readonly me: BotUser;
  readonly accountId: string;
}

/**
 * What a message of Telegram says, in the words of OpenClaw's adapters. Undefined for one that is no message to a bot:
 * without an id or a sender, of another bot, or a notice such as that someone joined.
 */
export function readMessage(message: Json, options: ReadOptions): ReadMessage | undefined {
  const place = readPlace(message);
  const id = readInteger(message.message_id);
  const sender = readSender(message);
  if (place === undefined || id === undefined || sender === undefined) return undefined;
  const text = readText(message.text) ?? readText(message.caption) ?? describeContent(message);
  if (text === undefined) return undefined;
  const reply = readReply(message, options.me);
  const date = readInteger(message.date);
  const ctx: MsgContext = {
    Body: text,
    RawBody: text,
    CommandBody: text,
    ...place.fields,
    ...sender,
    ...(place.isDirect &&
      sender.SenderName && {
        ConversationLabel: `${sender.SenderName} id:${place.chatId}`,
      }),
    AccountId: options.accountId,
    Provider: 'telegram',
    Surface: 'telegram',
    OriginatingChannel: 'telegram',
    MessageSid: String(id),
    ...(date !== undefined && { Timestamp: 1000 * date }),
    ...(options.me.username !== undefined && { BotUsername: options.me.username }),
    ...reply.fields,
    ...readForward(message),
    ...(!place.isDirect && { WasMentioned: reply.isToBot || isMentioned(message, text, options.me) }),
  };
  return { conversationId: place.conversationId, messageId: String(id), ctx };
}

interface Place {
  readonly chatId: number;
  readonly conversationId: string;
  readonly isDirect: boolean;
  readonly fields: MsgContext;
}

/** The chat, and the topic in it. */
export function readPlace(message: Json): Place | undefined {
  const chat = readObject(message.chat);
  const chatId = readInteger(chat?.id);
  if (chat === undefined || chatId === undefined) return undefined;
  const thread = readThread(message, chat);
  const suffix = thread === undefined ? '' : `:topic:${thread}`;
  const to = `telegram:${chatId}${suffix}`;
  const title = readName(chat.title);
  const shared = {
    To: to,
    OriginatingTo: to,
    ...(thread !== undefined && { MessageThreadId: thread }),
  };
  const place = { chatId, conversationId: `${chatId}${suffix}` };
  if (chat.type === 'private')
    return {
      ...place,
      isDirect: true,
      fields: { ...shared, ChatType: 'direct', From: `telegram:${chatId}` },
    };
  const kind = chat.type === 'channel' ? 'channel' : 'group';
  const label = `${title ?? kind} id:${chatId}${suffix.replace(':', ' ')}`;
  return {
    ...place,
    isDirect: false,
    fields: {
      ...shared,
      ChatType: kind,
      From: `telegram:${kind}:${chatId}${suffix}`,
      ConversationLabel: label,
      ...(title !== undefined && { GroupSubject: title }),
      ...(chat.is_forum === true && { IsForum: true }),
    },
  };
}

/** In a group without topics the id is that of a chain of replies, which is no thread. */
function readThread(message: Json, chat: Json): number | undefined {
  const id = readInteger(message.message_thread_id);
  if (chat.is_forum === true)
    return message.is_topic_message === true && id !== undefined ? id : GENERAL_TOPIC;
  return message.is_topic_message === true ? id : undefined;
}

/**
 * Who wrote it. Those who write in the name of a chat (an admin without a name, a channel) are that chat: Telegram puts one
 * and the same user in the place of all of them.
 */
function readSender(message: Json): MsgContext | undefined {
  const chat =
    readObject(message.sender_chat) ??
    (readObject(message.chat)?.type === 'channel' ? readObject(message.chat) : undefined);
  const user = readObject(message.from);
  const sender = chat ?? (user?.is_bot === true ? undefined : user);
  const id = readInteger(sender?.id);
  if (sender === undefined || id === undefined) return undefined;
  const name = readName(sender.title, sender.first_name, sender.last_name);
  const username = readText(sender.username);
  return {
    SenderId: String(id),
    SenderName: name ?? String(id),
    ...(username !== undefined && /^\w{1,64}$/.test(username) && { SenderUsername: username }),
  };
}

/** By a mark in the text, by a command for this bot, or by its name in the text. */
function isMentioned(message: Json, text: string, me: BotUser): boolean {
  const entities = [...readObjects(message.entities), ...readObjects(message.caption_entities)];
  if (entities.some(({ type, user }) => type === 'text_mention' && readObject(user)?.id === me.id))
    return true;
  return (
    me.username !== undefined && new RegExp(`(?<!\\w)(?:/\\w{1,32})?@${me.username}(?!\\w)`, 'i').test(text)
  );
}

/** Words for what is no text. Undefined for what is no message of a person. */
function describeContent(message: Json): string | undefined {
  const sticker = readObject(message.sticker);
  if (sticker !== undefined)
    return `<media:sticker>${readName(sticker.emoji) ? ` ${readName(sticker.emoji)}` : ''}`;
  for (const [field, word] of Object.entries(MEDIA_WORDS))
    if (message[field] !== undefined) return `<media:${word}>`;
  const location = readObject(message.location);
  if (typeof location?.latitude === 'number' && typeof location.longitude === 'number') {
    const title = readName(readObject(message.venue)?.title);
    return `[location ${location.latitude}, ${location.longitude}${title ? `: ${title}` : ''}]`;
  }
  const contact = readObject(message.contact);
  if (contact !== undefined)
    return `[contact ${readName(contact.first_name, contact.last_name, contact.phone_number) ?? ''}]`;
  const poll = readObject(message.poll);
  if (poll !== undefined) return `[poll ${readName(poll.question) ?? ''}]`;
  const dice = readObject(message.dice);
  return dice === undefined
    ? undefined
    : `[dice ${readName(dice.emoji) ?? ''} ${readInteger(dice.value) ?? ''}]`;
}

const MEDIA_WORDS: Readonly<Record<string, string>> = {
  photo: 'image',
  voice: 'audio',
  audio: 'audio',
  video: 'video',
  video_note: 'video',
  animation: 'video',
  document: 'document',
};
