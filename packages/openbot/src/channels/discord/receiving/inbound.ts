import { type MsgContext, OpenBotError } from '@openbot/sessions';
import type { ChannelHost, ChannelMedia } from '../../contract.ts';
import { EventLanes } from '../connection/event-lanes.ts';
import type { Dispatch } from '../connection/gateway-link.ts';
import type { StreamPlace } from '../connection/stream-place.ts';
import type { DiscordApi } from '../discord-api.ts';
import { describeError } from '../sending/send-errors.ts';
import type { DiscordSettings } from '../settings.ts';
import { isId } from '../snowflake.ts';
import type { Timing } from '../timing.ts';
import { ChannelBook, type ChannelPlace } from './channel-book.ts';
import { buildContext } from './message-context.ts';
import { readGap } from './read-gap.ts';
import { receiveFiles } from './receive-files.ts';
import { readWireInteraction, type WireInteraction } from './wire-interaction.ts';
import { readObject, readWireMessage, type WireMessage } from './wire-message.ts';

export interface InboundParts {
  readonly accountId: string;
  readonly settings: DiscordSettings;
  readonly media: ChannelMedia;
  readonly api: DiscordApi;
  readonly host: ChannelHost;
  readonly place: StreamPlace;
  readonly timing: Timing;
  /** What was told must be told again. */
  onFailure(message: string): void;
}

/** Answers of an interaction: a message that only its sender sees, and none at all. */
const SHOW_MESSAGE = 4;
const SHOW_NOTHING = 6;
const EPHEMERAL = 1 << 6;

/** Gives what the gateway tells to the host, and notes an event as seen once it is durable. */
export class Inbound {
  readonly #parts: InboundParts;
  readonly #stop = new AbortController();
  readonly #lanes: EventLanes;
  readonly book: ChannelBook;
  #isCatchingUp = false;

  constructor(parts: InboundParts) {
    this.#parts = parts;
    this.book = new ChannelBook(parts.api, parts.timing.now, this.#stop.signal);
    this.#lanes = new EventLanes((error) => {
      if (!this.#stop.signal.aborted) parts.onFailure(`A message could not be kept: ${describeError(error)}`);
    });
  }

  take({ event, sequence, sessionId, data }: Dispatch): void {
    this.book.learn(event, data);
    const { place } = this.#parts;
    const onSeen = () => place.see(sessionId, sequence);
    // In front of all that this connection tells: on a resume, what was missed comes before RESUMED.
    if (place.gap !== undefined && !this.#isCatchingUp) {
      this.#isCatchingUp = true;
      this.#lanes.add({ onSeen: () => {}, isBarrier: true, work: () => this.#readGap() });
    }
    switch (event) {
      case 'MESSAGE_CREATE':
      case 'MESSAGE_UPDATE':
        this.#takeMessage(data, sessionId, sequence, event === 'MESSAGE_UPDATE');
        return;
      case 'INTERACTION_CREATE':
        this.#takeInteraction(readWireInteraction(data), onSeen);
        return;
      case 'THREAD_CREATE':
        this.#join(data);
        this.#lanes.add({ onSeen });
        return;
      default:
        this.#lanes.add({ onSeen });
    }
  }

  #takeMessage(data: unknown, sessionId: string, sequence: number, isChange: boolean): void {
    const { place } = this.#parts;
    const message = readWireMessage(data);
    const seen = isChange ? undefined : message;
    const onSeen = () => place.see(sessionId, sequence, seen);
    if (message === undefined) this.#lanes.add({ onSeen });
    else
      this.#lanes.add({ lane: message.channelId, onSeen, work: () => this.#receive(message, { isChange }) });
  }

  #takeInteraction(interaction: WireInteraction | undefined, onSeen: () => void): void {
    if (interaction === undefined) {
      this.#lanes.add({ onSeen });
      return;
    }
    const { message } = interaction;
    // Discord waits three seconds, and a message before this one may have files.
    void this.#answer(interaction);
    const work = () => this.#receive(message, { isNative: true });
    this.#lanes.add({ lane: message.channelId, onSeen, work });
  }

  async #answer({ kind, message, token }: WireInteraction): Promise<void> {
    try {
      // To a stranger it says nothing of what was asked for.
      const isShown = kind === 'command' && (await this.#mayTalk(message));
      const content = isShown ? message.text.slice(0, 1900) : 'Received.';
      const body =
        kind === 'button'
          ? { type: SHOW_NOTHING }
          : { type: SHOW_MESSAGE, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
      await this.#parts.api.call('POST', `/interactions/${message.id}/${token}/callback`, { body });
    } catch {
      // Too late, or a repeat of one that was answered. What was asked for is done all the same.
    }
  }

  async #mayTalk(message: WireMessage): Promise<boolean> {
    try {
      const { ctx } = await this.#read(message, true);
      return await this.#parts.host.mayTalk(ctx);
    } catch {
      return false;
    }
  }

  /** So that the bot is told what is said in a new thread. */
  #join(data: unknown): void {
    const { id, newly_created } = readObject(data);
    if (!isId(id) || newly_created !== true) return;
    this.#parts.api.call('PUT', `/channels/${id}/thread-members/@me`).catch(() => {});
  }

  async #receive(
    message: WireMessage,
    { isNative = false, isChange = false }: { readonly isNative?: boolean; readonly isChange?: boolean } = {},
  ): Promise<void> {
    const { api, host, settings } = this.#parts;
    const self = await api.self();
    if (!isHeard(message, self.id, settings.allowBots) || isEmpty(message)) return;
    // Discord also tells of previews that it has made.
    if (isChange && !message.isEdited) return;
    const { ctx, place } = await this.#read(message, isNative);
    const { signal } = this.#stop;
    const hasMore =
      !isChange && (message.files.length > 0 || place.parent !== undefined || lacksRoles(message));
    const more = hasMore && (await host.mayTalk(ctx)) ? await this.#readMore(message, place) : {};
    signal.throwIfAborted();
    const arrival = { conversationId: message.channelId, messageId: message.id, ctx: { ...ctx, ...more } };
    try {
      await (isChange ? host.amend(arrival) : host.accept(arrival));
    } catch (error) {
      // Told again, it would fail again, and hold up all that follows.
      if (!(error instanceof OpenBotError) || error.code !== 'INVALID_ARGUMENT') throw error;
      host.report(`Discord: message ${message.id} was not taken: ${error.message}`);
    }
  }

  async #read(
    message: WireMessage,
    isNative: boolean,
  ): Promise<{ readonly ctx: MsgContext; readonly place: ChannelPlace }> {
    const { accountId, api } = this.#parts;
    const { channelId, guildId, mentionedRoles } = message;
    const self = await api.self();
    const place = await this.book.find(channelId, guildId);
    const ownRoles =
      guildId === undefined || mentionedRoles.length === 0 ? [] : await this.book.rolesOf(guildId, self.id);
    return { ctx: buildContext(message, { self, accountId, place, ownRoles, isNative }), place };
  }

  /** What costs calls, and so is read for those who may talk. */
  async #readMore(message: WireMessage, place: ChannelPlace): Promise<MsgContext> {
    const { api, media, settings, timing } = this.#parts;
    const starter = message.id === place.id ? undefined : await this.book.threadStarter(place);
    const { signal } = this.#stop;
    const { guildId, author } = message;
    const roles =
      guildId !== undefined && lacksRoles(message) ? await this.book.rolesOf(guildId, author.id) : undefined;
    return {
      ...(roles !== undefined && { SenderRoles: [...roles] }),
      ...(starter !== undefined && { ThreadStarterBody: starter }),
      ...(await receiveFiles(message, { media, api, apiRoot: settings.apiRoot, timing, signal })),
    };
  }

  async #readGap(): Promise<void> {
    const { api, host, place } = this.#parts;
    const { gap } = place;
    if (gap === undefined) return;
    await readGap(gap, {
      api,
      book: this.book,
      signal: this.#stop.signal,
      report: (message) => host.report(message),
      take: async (raw) => {
        const message = readWireMessage(raw);
        if (message === undefined) return;
        await this.#receive(message);
        place.seeMessage(message);
      },
    });
    place.closeGap();
    this.#isCatchingUp = false;
  }

  /** What was said while there was no session is being read, and what is said now waits for it. */
  get isCatchingUp(): boolean {
    return this.#isCatchingUp;
  }

  /** The connection has ended: what has not begun arrives again. */
  drop(): void {
    this.#isCatchingUp = false;
    this.#lanes.drop();
  }

  /** Nothing is given to the host after it resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#lanes.drop();
    await this.#lanes.idle();
  }
}

function isHeard(
  { author, mentions }: WireMessage,
  selfId: string,
  allowBots: DiscordSettings['allowBots'],
): boolean {
  if (author.id === selfId) return false;
  return !author.isBot || allowBots === true || (allowBots === 'mentions' && mentions.has(selfId));
}

/** The API, which is asked for what was missed, does not say the roles of an author. */
function lacksRoles({ guildId, roles, author }: WireMessage): boolean {
  return guildId !== undefined && roles === undefined && !author.isBot;
}

function isEmpty({ text, files, forwarded }: WireMessage): boolean {
  return text.trim() === '' && files.length === 0 && forwarded === undefined;
}
