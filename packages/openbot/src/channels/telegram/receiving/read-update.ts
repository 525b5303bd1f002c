import { type Json, readObject } from '../../http/hostile-json.ts';
import { readText } from '../read-json.ts';
import { type ReadMessage, type ReadOptions, readMessage, readPlace } from './message-context.ts';

/** A message, and what Telegram gave of it where it may have a file. */
export interface SourcedMessage {
  readonly message: ReadMessage;
  readonly source?: Json;
}

export interface ReadUpdateOptions extends ReadOptions {
  readonly channelPosts: boolean;
}

/** What Telegram is asked for. */
export function listUpdateKinds({ channelPosts }: { readonly channelPosts: boolean }): readonly string[] {
  const posts = channelPosts ? ['channel_post', 'edited_channel_post'] : [];
  return ['message', 'edited_message', 'callback_query', ...posts];
}

/** Updates of one conversation are taken one after the other. */
export function conversationOf(update: Json): string {
  const message = messageOf(update) ?? readObject(readObject(update.callback_query)?.message);
  return message === undefined ? '' : (readPlace(message)?.conversationId ?? '');
}

/** Those with the same one are parts of one album. */
export function albumOf(update: Json): string | undefined {
  const id = readText(messageOf(update)?.media_group_id);
  return id === undefined ? undefined : `${conversationOf(update)} ${id.slice(0, 64)}`;
}

export function isChange(update: Json): boolean {
  return update.edited_message !== undefined || update.edited_channel_post !== undefined;
}

/** Undefined for what brings no message. */
export function readUpdate(update: Json, options: ReadUpdateOptions): SourcedMessage | undefined {
  const press = readObject(update.callback_query);
  if (press !== undefined) {
    const message = readPress(press, options);
    return message && { message };
  }
  const source = messageOf(update);
  // A channel that a group belongs to sends its posts to the group too.
  if (source === undefined || (source.is_automatic_forward === true && !options.channelPosts))
    return undefined;
  if (readObject(source.chat)?.type === 'channel' && !options.channelPosts) return undefined;
  // It would take away the files of the other parts.
  if (isChange(update) && albumOf(update) !== undefined) return undefined;
  // The place of someone who shares it live changes again and again.
  if (update.edited_message !== undefined && source.location !== undefined) return undefined;
  const message = readMessage(source, options);
  return message && { message, source };
}

function messageOf(update: Json): Json | undefined {
  const { message, edited_message, channel_post, edited_channel_post } = update;
  return readObject(message ?? edited_message ?? channel_post ?? edited_channel_post);
}

/** A button that was pressed is a message with its word, which answers the message that has the button. */
function readPress(press: Json, options: ReadUpdateOptions): ReadMessage | undefined {
  const shown = readObject(press.message);
  const [id, word] = [readText(press.id), readText(press.data)];
  if (shown === undefined || id === undefined || word === undefined) return undefined;
  // Who pressed it there cannot be told from the channel.
  if (readObject(shown.chat)?.type === 'channel') return undefined;
  const { reply_to_message: _, sender_chat: __, caption: ___, forward_origin: ____, ...rest } = shown;
  const written = { ...rest, text: word, from: press.from, reply_to_message: shown, entities: [] };
  const message = readMessage(written, options);
  if (message === undefined) return undefined;
  const messageId = `callback:${id.slice(0, 64)}`;
  const { Timestamp: _when, ...ctx } = message.ctx;
  return { ...message, messageId, ctx: { ...ctx, MessageSid: messageId } };
}
