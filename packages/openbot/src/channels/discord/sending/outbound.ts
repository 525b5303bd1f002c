import type { DeliveryTarget } from '../../../outbox/contract.ts';
import type { ChannelMedia, SendRequest } from '../../contract.ts';
import { type FileTries, readReplyFile, uploadMs } from '../../http/try-file.ts';
import { assertShown, sendFailure } from '../../send-failure.ts';
import { markPart, REPEAT_MARK } from '../../text/mark-repeat.ts';
import { type ApiFile, type DiscordApi, sizeOf } from '../discord-api.ts';
import type { ChannelBook } from '../receiving/channel-book.ts';
import { readName, readObject } from '../receiving/wire-message.ts';
import { isId } from '../snowflake.ts';
import { readPlace } from '../target.ts';
import { findPost, findSent, NONCE_MS, noteOf } from './find-sent.ts';
import { type FirstTries, type FirstTry, KEPT_MS } from './first-tries.ts';
import { nonceOf, type ReplyPart, splitReply, TEXT_LIMIT } from './reply-parts.ts';
import { hasCode, isTooLarge, NOT_TEXT_CHANNEL } from './send-errors.ts';

export interface OutboundParts {
  readonly api: DiscordApi;
  readonly book: ChannelBook;
  readonly media: ChannelMedia;
  readonly tries: FirstTries;
  readonly suppressEmbeds: boolean;
  readonly now: () => number;
  readonly wait: FileTries['wait'];
  report(message: string): void;
  /** The newest message that is known of a channel. */
  lastIn(channelId: string): string | undefined;
}

interface Sending {
  readonly request: SendRequest;
  readonly part: ReplyPart;
  readonly at: number;
  readonly channelId: string;
  /** An earlier try may have left it in the chat. */
  readonly mayBeRepeat: boolean;
  /** When that was, where it is known. */
  readonly tried: FirstTry | undefined;
  /** Of the part before. */
  readonly behind: string | undefined;
}

const SUPPRESS_EMBEDS = 1 << 2;
const TITLE_LIMIT = 100;
const MOST_CHATS = 1000;
/** The words of a model reach nobody but the people that they name. */
const ALLOWED_MENTIONS = { parse: ['users'] };

/** Sends replies. Fails as the library says. */
export class Outbound {
  readonly #parts: OutboundParts;
  readonly #directChannels = new Map<string, string>();
  readonly #lastSent = new Map<string, string>();

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  async send(request: SendRequest): Promise<readonly string[]> {
    const { key, payload, sentIds, target, signal, mayBeRepeat, onPart } = request;
    const parts = splitReply(payload);
    assertShown(parts, payload, 'Discord');
    const ids = [...sentIds];
    if (ids.length >= parts.length) return ids;
    const { tries } = this.#parts;
    let channelId = await this.findChannel(target, signal);
    const name = nonceOf(key, 0);
    const former = await tries.begin(name, this.#lastSent.get(channelId) ?? this.#parts.lastIn(channelId));
    // A forum has no messages of its own: the first part has begun a post, which the others go into.
    if (ids[0] !== undefined && (await this.#isForum(channelId))) channelId = ids[0];
    for (let at = ids.length; at < parts.length; at++) {
      const part = parts[at];
      if (part === undefined) break;
      const isFirst = at === sentIds.length;
      const sending = {
        request,
        part,
        at,
        channelId,
        mayBeRepeat: isFirst && mayBeRepeat,
        tried: isFirst && mayBeRepeat ? former : undefined,
        behind: ids.at(-1),
      };
      const sent = await this.#sendPart(sending);
      channelId = sent.channelId;
      ids.push(sent.id);
      this.#lastSent.delete(channelId);
      this.#lastSent.set(channelId, sent.id);
      if (this.#lastSent.size > MOST_CHATS) this.#lastSent.delete(this.#lastSent.keys().next().value ?? '');
      if (at < parts.length - 1) await onPart(sent.id);
    }
    await tries.end(name);
    return ids;
  }

  async #isForum(channelId: string): Promise<boolean> {
    return this.#parts.book.isForum(channelId);
  }

  async #sendPart(sending: Sending): Promise<{ readonly id: string; readonly channelId: string }> {
    const { request, part, at, channelId, mayBeRepeat, tried, behind } = sending;
    const { api, now } = this.#parts;
    const { signal } = request;
    // A try is noted before it is made: one that was not is none, unless the note was forgotten since.
    const { createdAt = 0 } = request;
    let isUndecided = mayBeRepeat && tried === undefined && now() - createdAt > KEPT_MS;
    // Later than that, Discord would show it a second time.
    if (
      tried !== undefined &&
      now() - tried.at > NONCE_MS &&
      !(at === 0 && (await this.#isForum(channelId)))
    ) {
      const search = { channelId, text: part.text, fileCount: part.files.length, tried, behind, signal };
      const found = await findSent(api, search);
      if (typeof found === 'object') return { ...found, channelId };
      isUndecided = found === 'undecided';
    }
    const { files, notes } = await this.#readFiles(part, request);
    if (files.length > 0) await request.allowTime(uploadMs(sizeOf(files)));
    const text = isUndecided ? markPart(REPEAT_MARK, part.text) : part.text;
    try {
      return await this.#post(sending, files, [text, ...notes]);
    } catch (error) {
      if (files.length === 0 || !isTooLarge(error)) throw error;
      for (const url of part.files) request.onFile?.(url, 'It is too large for Discord');
      const tooLarge = files.map(({ name }) => noteOf(`${name} is too large for Discord`));
      return await this.#post(sending, [], [text, ...notes, ...tooLarge]);
    }
  }

  async #post(sending: Sending, files: readonly ApiFile[], texts: readonly string[]) {
    const { request, part, at, channelId } = sending;
    const { api, suppressEmbeds } = this.#parts;
    const { payload, key, signal } = request;
    const replyTo = at === 0 && isId(payload.replyToId) ? payload.replyToId : undefined;
    const body = {
      content: texts
        .filter((text) => text !== '')
        .join('\n')
        .slice(0, TEXT_LIMIT),
      allowed_mentions: { ...ALLOWED_MENTIONS, replied_user: true },
      ...(suppressEmbeds && part.embeds === undefined && { flags: SUPPRESS_EMBEDS }),
      ...(part.components !== undefined && { components: part.components }),
      ...(part.embeds !== undefined && { embeds: part.embeds }),
    };
    const attached = files.length === 0 ? {} : { files };
    try {
      const message = await api.call('POST', `/channels/${channelId}/messages`, {
        body: {
          ...body,
          nonce: nonceOf(key, at),
          enforce_nonce: true,
          ...(replyTo !== undefined && {
            message_reference: { message_id: replyTo, fail_if_not_exists: false },
          }),
        },
        ...attached,
        signal,
      });
      return { id: readId(message), channelId };
    } catch (error) {
      if (at > 0 || !hasCode(error, NOT_TEXT_CHANNEL) || !(await this.#isForum(channelId))) throw error;
    }
    return this.#beginPost(sending, body, attached);
  }

  /** A forum takes posts: threads with a title. Discord has no nonce for them. */
  async #beginPost(
    { request, part, channelId, tried }: Sending,
    message: { readonly content: string },
    attached: object,
  ) {
    const { api, book } = this.#parts;
    const { signal } = request;
    const [firstLine = ''] = part.text.trim().split('\n');
    const title = readName(firstLine.replace(/^#+\s*/, '')).slice(0, TITLE_LIMIT) || 'New post';
    const guildId = tried === undefined ? undefined : await book.guildOf(channelId);
    if (guildId !== undefined && tried !== undefined) {
      const id = await findPost(api, { guildId, forumId: channelId, title, tried, signal });
      if (id !== undefined) return { id, channelId: id };
    }
    const body = { name: title, message };
    const id = readId(
      await api.call('POST', `/channels/${channelId}/threads`, { body, ...attached, signal }),
    );
    return { id, channelId: id };
  }

  /** A file that cannot be sent does not hold back the words. */
  async #readFiles(
    { files }: ReplyPart,
    request: SendRequest,
  ): Promise<{ files: ApiFile[]; notes: string[] }> {
    const { media, wait, report } = this.#parts;
    const read: ApiFile[] = [];
    const notes: string[] = [];
    for (const url of files) {
      const file = await readReplyFile(url, { media, wait, request });
      if ('bytes' in file) read.push({ data: file.bytes, name: file.name, contentType: file.type });
      else {
        report(`Discord: a file was not sent: ${file.reason}`);
        notes.push(noteOf(`A file could not be sent: ${file.reason}`));
      }
    }
    return { files: read, notes };
  }

  /** The channel that a target means: a thread is one, and so is a chat with a person. */
  async findChannel({ to, threadId }: DeliveryTarget, signal?: AbortSignal): Promise<string> {
    const thread = String(threadId ?? '');
    if (isId(thread)) return thread;
    const place = readPlace(to);
    if (place === undefined) {
      const message = `“${readName(to)}” is no target on Discord: user:<id> or channel:<id> is.`;
      throw sendFailure(message, { isPermanent: true, mayHaveArrived: false, reason: 'gone' });
    }
    return place.kind === 'user' ? this.#directChannel(place.id, signal) : place.id;
  }

  async #directChannel(userId: string, signal?: AbortSignal): Promise<string> {
    const known = this.#directChannels.get(userId);
    if (known !== undefined) return known;
    const body = { recipient_id: userId };
    const id = readId(
      await this.#parts.api.call('POST', '/users/@me/channels', { body, ...(signal && { signal }) }),
    );
    this.#directChannels.set(userId, id);
    return id;
  }
}

function readId(answer: unknown): string {
  const { id } = readObject(answer);
  if (isId(id)) return id;
  // It was taken, and cannot be told from others.
  throw sendFailure('Discord did not say the id of the message.', {
    isPermanent: false,
    mayHaveArrived: true,
  });
}
