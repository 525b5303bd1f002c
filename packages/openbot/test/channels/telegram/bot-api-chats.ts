import type { Call } from './bot-api-call.ts';
import { refuse } from './bot-api-refusal.ts';
import { type ParsedHtml, parseHtml } from './parse-html.ts';

export interface ShownMessage {
  readonly message_id: number;
  readonly chat_id: number;
  readonly thread?: number;
  readonly method: string;
  /** As people see it: the text, or the caption. */
  text: string;
  entities: ParsedHtml['entities'];
  readonly replyTo?: number;
  readonly buttons: readonly { readonly text: string; readonly callback_data: string }[];
  readonly file?: { readonly name: string; readonly bytes: Buffer };
  reaction?: string;
}

const MEDIA: Readonly<Record<string, string>> = {
  sendPhoto: 'photo',
  sendDocument: 'document',
  sendVoice: 'voice',
  sendAudio: 'audio',
  sendVideo: 'video',
  sendAnimation: 'animation',
  sendSticker: 'sticker',
};

/** Chats in which the bot can write, and what it wrote. */
export class Chats {
  readonly #me: { readonly id: number };
  readonly shown: ShownMessage[] = [];
  readonly actions: { chat_id: number; thread?: number; action: string }[] = [];
  readonly reactions: { chat_id: number; message_id: number; emoji: string | undefined }[] = [];
  /** People who blocked the bot. */
  readonly blocked = new Set<number>();
  /** Groups that take no stickers. */
  readonly withoutStickers = new Set<number>();
  /** Chats that there are not. */
  readonly unknown = new Set<number>();
  /** Groups that became supergroups, and their new ids. */
  readonly moved = new Map<number, number>();
  /** Topics of forums. General is none of them. */
  readonly topics = new Map<number, readonly number[]>();
  #nextId = 5000;

  constructor(me: { readonly id: number }) {
    this.#me = me;
  }

  carryOut({ method, params, files }: Call): unknown {
    const text = String(params.text ?? params.caption ?? '');
    if (!text.isWellFormed()) refuse('Bad Request: strings must be encoded in UTF-8');
    const chat_id = this.#findChat(params.chat_id);
    switch (method) {
      case 'sendMessage': {
        const parsed = parseText(params, text, 4096);
        if (parsed.text.trim() === '') refuse('Bad Request: message text is empty');
        return this.#show(method, chat_id, params, parsed);
      }
      case 'sendChatAction': {
        const thread = this.#findThread(chat_id, params.message_thread_id, true);
        this.actions.push({ chat_id, thread, action: String(params.action) });
        return true;
      }
      case 'editMessageText': {
        const message = this.#find(chat_id, params.message_id, 'edit');
        const { text: shown, entities } = parseText(params, text, 4096);
        if (shown === message.text && JSON.stringify(entities) === JSON.stringify(message.entities))
          refuse(
            'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
          );
        Object.assign(message, { text: shown, entities });
        return { message_id: message.message_id };
      }
      case 'deleteMessage': {
        const message = this.#find(chat_id, params.message_id, 'delete');
        this.shown.splice(this.shown.indexOf(message), 1);
        return true;
      }
      case 'setMessageReaction': {
        const [reaction] = (params.reaction ?? []) as { emoji: string }[];
        if (reaction !== undefined && !'👍👎❤🔥🎉👀🤔😁👌'.includes(reaction.emoji))
          refuse('Bad Request: REACTION_INVALID');
        const emoji = reaction?.emoji;
        this.reactions.push({ chat_id, message_id: Number(params.message_id), emoji });
        return true;
      }
    }
    const kind = MEDIA[method];
    if (kind === undefined) refuse('Not Found', 404);
    const [, attached = ''] = /^attach:\/\/(.+)$/.exec(String(params[kind])) ?? [];
    const file = files[attached];
    if (file === undefined) refuse('Bad Request: there is no file in the request');
    if (file.bytes.length > (kind === 'photo' ? 10_000_000 : 50_000_000))
      refuse('Request Entity Too Large', 413);
    if (file.bytes.length === 0) refuse('Bad Request: file must be non-empty');
    if (kind === 'photo' && file.bytes.includes('broken')) refuse('Bad Request: IMAGE_PROCESS_FAILED');
    if (kind !== 'sticker') return this.#show(method, chat_id, params, parseText(params, text, 1024), file);
    if (this.withoutStickers.has(chat_id))
      refuse('Bad Request: not enough rights to send stickers to the chat');
    if (file.bytes.length > 512 * 1024 || file.bytes.includes('broken'))
      refuse('Bad Request: STICKER_INVALID');
    // Other parameters are ignored, as a caption.
    return this.#show(method, chat_id, params, { text: '', entities: [] }, file);
  }

  #show(
    method: string,
    chat_id: number,
    params: Call['params'],
    parsed: ParsedHtml,
    file?: ShownMessage['file'],
  ): unknown {
    const thread = this.#findThread(chat_id, params.message_thread_id, false);
    const reply = params.reply_parameters as
      | { message_id: number; allow_sending_without_reply?: boolean }
      | undefined;
    if (reply !== undefined && reply.message_id > 900_000 && !reply.allow_sending_without_reply)
      refuse('Bad Request: message to be replied not found');
    const markup = params.reply_markup as { inline_keyboard?: ShownMessage['buttons'][] } | undefined;
    const buttons = (markup?.inline_keyboard ?? []).flat();
    for (const { callback_data, text } of buttons)
      if (Buffer.byteLength(callback_data) > 64 || callback_data === '' || text === '')
        refuse('Bad Request: BUTTON_DATA_INVALID');
    const message_id = this.#nextId++;
    this.shown.push({
      message_id,
      chat_id,
      thread,
      method,
      ...parsed,
      replyTo: reply?.message_id,
      buttons,
      file,
    });
    return { message_id, date: 1, from: this.#me, chat: { id: chat_id }, text: parsed.text };
  }

  #findChat(given: unknown): number {
    const id = Number(given);
    if (given === undefined || given === '') refuse('Bad Request: chat_id is empty');
    if (!Number.isSafeInteger(id) || this.unknown.has(id)) refuse('Bad Request: chat not found');
    if (this.blocked.has(id)) refuse('Forbidden: bot was blocked by the user', 403);
    const to = this.moved.get(id);
    if (to !== undefined)
      refuse('Bad Request: group chat was upgraded to a supergroup chat', 400, { migrate_to_chat_id: to });
    return id;
  }

  /** General has the id 1 for actions alone. */
  #findThread(chat_id: number, given: unknown, isAction: boolean): number | undefined {
    if (given === undefined) return undefined;
    const thread = Number(given);
    if (!(this.topics.get(chat_id) ?? []).includes(thread) && !(isAction && thread === 1))
      refuse('Bad Request: message thread not found');
    return thread;
  }

  #find(chat_id: number, id: unknown, what: string): ShownMessage {
    const message = this.shown.find((mine) => mine.chat_id === chat_id && mine.message_id === Number(id));
    return message ?? refuse(`Bad Request: message to ${what} not found`);
  }
}

/** The limit is about what is left after parsing. */
function parseText(params: Call['params'], text: string, limit: number): ParsedHtml {
  if (Buffer.byteLength(text) > 2 ** 15) refuse('Bad Request: text is too long');
  let parsed: ParsedHtml = { text, entities: [] };
  if (params.parse_mode === 'HTML') {
    try {
      parsed = parseHtml(text);
    } catch (error) {
      refuse(`Bad Request: can't parse entities: ${(error as Error).message}`);
    }
  }
  if (parsed.text.trim().length > limit)
    refuse(limit === 4096 ? 'Bad Request: message is too long' : 'Bad Request: message caption is too long');
  return parsed;
}
