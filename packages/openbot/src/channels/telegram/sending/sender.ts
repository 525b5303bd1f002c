import type { ReplyPayload } from '../../../outbox/reply-payload.ts';
import type { ChannelMedia, SendRequest } from '../../contract.ts';
import { type FileTries, uploadMs } from '../../http/try-file.ts';
import { assertShown, sendFailure } from '../../send-failure.ts';
import { type ChatPlace, GENERAL_TOPIC, readMessageId, readTarget } from '../target.ts';
import { type CallFailure, isCallFailure, type TelegramApi } from '../telegram-api.ts';
import { makeKeyboard } from './keyboard.ts';
import { makeParts, markRepeat, type Part, type PartText, renderWhole } from './payload-parts.ts';
import { chooseCalls, readFile, toInputFile } from './send-file.ts';
import { isNamedSticker } from './sticker.ts';

type Fields = Record<string, unknown>;

/** Refused as what it is: a photo of odd proportions, a person who takes no voice messages, a group without stickers. */
const REFUSED_KIND = /PHOTO_|IMAGE_|STICKER|VOICE_MESSAGES_FORBIDDEN|VIDEO_|wrong file|failed to get HTTP/i;

export interface SenderOptions {
  readonly api: TelegramApi;
  readonly media: ChannelMedia;
  readonly linkPreview: boolean;
  readonly wait: FileTries['wait'];
  readonly report: (message: string) => void;
}

/** Sends replies, and changes them. */
export class Sender {
  readonly #options: SenderOptions;
  /** Groups that became supergroups, and their new ids. */
  readonly #moved = new Map<number | string, number>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    const { target, payload, mark, sentIds, onPart, signal } = request;
    const place = readTarget(target);
    const parts = makeParts(payload);
    assertShown(parts, payload, 'Telegram');
    const ids = [...sentIds];
    for (const [n, part] of parts.entries()) {
      if (n < sentIds.length) continue;
      const isLast = n === parts.length - 1;
      const fields = { ...(n === 0 && replyTo(payload)), ...(isLast && makeKeyboard(payload)) };
      const isMarked = mark !== undefined && n === sentIds.length;
      const id = await this.#sendPart(isMarked ? markRepeat(part, mark) : part, {
        place,
        fields,
        request,
        signal,
      });
      ids.push(id);
      if (!isLast) await onPart(id);
    }
    return { ids };
  }

  async edit(request: {
    target: SendRequest['target'];
    id: string;
    text: string;
    signal: AbortSignal;
  }): Promise<void> {
    const { target, id, signal } = request;
    const text = renderWhole(request.text);
    if (text === undefined)
      throw sendFailure('The text is too long for one message', {
        isPermanent: true,
        mayHaveArrived: false,
        reason: 'too long',
      });
    const fields = { message_id: readMessageId(id), ...this.#preview() };
    const { threadId: _, ...place } = readTarget(target);
    try {
      await this.#callWithText('editMessageText', { place, fields, signal }, 'text', text);
    } catch (error) {
      if (!isCallFailure(error) || !/message is not modified/.test(error.description ?? '')) throw error;
    }
  }

  /** Makes a call in a chat, also in one that has a new id. */
  async call(method: string, place: ChatPlace, fields: Fields, signal?: AbortSignal): Promise<unknown> {
    const { chatId, threadId } = place;
    const { api, report } = this.#options;
    const isGeneral = threadId === GENERAL_TOPIC && method !== 'sendChatAction';
    const thread = threadId === undefined || isGeneral ? {} : { message_thread_id: threadId };
    const callIn = (chat_id: number | string) => api.call(method, { chat_id, ...thread, ...fields }, signal);
    try {
      return await callIn(this.#moved.get(chatId) ?? chatId);
    } catch (error) {
      const { movedTo } = error as Partial<CallFailure>;
      if (typeof movedTo !== 'number' || this.#moved.get(chatId) === movedTo) throw error;
      this.#moved.set(chatId, movedTo);
      report(`The Telegram group ${chatId} has the id ${movedTo} now. Change it in the configuration.`);
      return callIn(movedTo);
    }
  }

  async #sendPart(
    part: Part,
    to: { place: ChatPlace; fields: Fields; request: SendRequest; signal: AbortSignal },
  ): Promise<string> {
    const sent = part.is === 'text' ? await this.#sendText(part.text, to) : await this.#sendFile(part, to);
    return String((sent as { message_id?: unknown } | undefined)?.message_id ?? '');
  }

  #sendText(text: PartText, to: { place: ChatPlace; fields: Fields; signal: AbortSignal }): Promise<unknown> {
    const fields = { ...to.fields, ...this.#preview() };
    return this.#callWithText('sendMessage', { ...to, fields }, 'text', text);
  }

  async #sendFile(
    { url, caption }: Extract<Part, { is: 'file' }>,
    to: { place: ChatPlace; fields: Fields; request: SendRequest; signal: AbortSignal },
  ): Promise<unknown> {
    const { media, report, wait } = this.#options;
    const { request } = to;
    const file = await readFile(url, { media, wait, request });
    if ('reason' in file) {
      report(`A file was not sent: ${file.reason}`);
      // In the place of the file, so that the text is not lost with it and people know what is missing.
      const notice = `[A file could not be sent: ${file.reason}]`.slice(0, 1000);
      const plain = caption === undefined ? notice : `${caption.plain}\n\n${notice}`;
      return this.#sendText(renderWhole(plain)!, to);
    }
    const isAlone = caption === undefined && (isNamedSticker(url) || !request.payload.text?.trim());
    const calls = chooseCalls(file, { asVoice: request.payload.audioAsVoice === true, isAlone });
    const sendAs = async ([call, ...others]: typeof calls): Promise<unknown> => {
      const { method, field } = call!;
      await request.allowTime(uploadMs(file.bytes.length));
      const fields = { ...to.fields, [field]: toInputFile(file) };
      try {
        return await this.#callWithText(method, { ...to, fields }, 'caption', caption);
      } catch (error) {
        if (others.length === 0 || !isRefusal(error, REFUSED_KIND)) throw error;
        return sendAs(others);
      }
    };
    return sendAs(calls);
  }

  /** Markup that Telegram refuses is left out. A refusal means that nothing was shown, so nothing is doubled. */
  async #callWithText(
    method: string,
    { place, fields, signal }: { place: ChatPlace; fields: Fields; signal: AbortSignal },
    field: 'text' | 'caption',
    text: PartText | undefined,
  ): Promise<unknown> {
    if (text === undefined) return this.call(method, place, fields, signal);
    const plain = () => this.call(method, place, { ...fields, [field]: text.plain }, signal);
    if (text.text.trim() === '') return plain();
    try {
      return await this.call(method, place, { ...fields, [field]: text.html, parse_mode: 'HTML' }, signal);
    } catch (error) {
      if (!isRefusal(error, /entit|can't parse|(?:start|end) tag/i)) throw error;
      return plain();
    }
  }

  #preview(): Fields {
    return this.#options.linkPreview ? {} : { link_preview_options: { is_disabled: true } };
  }
}

function isRefusal(error: unknown, words: RegExp): boolean {
  return isCallFailure(error) && error.status === 400 && words.test(error.description ?? '');
}

/** A message that is gone is no reason to say nothing. */
function replyTo({ replyToId }: ReplyPayload): Fields {
  if (replyToId === undefined || !/^\d{1,16}$/.test(replyToId)) return {};
  return { reply_parameters: { message_id: Number(replyToId), allow_sending_without_reply: true } };
}
