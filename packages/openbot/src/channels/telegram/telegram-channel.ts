import { OpenBotError } from '@openbot/sessions';
import { type Clock, systemClock } from '../../clock.ts';
import type { DeliveryTarget } from '../../outbox/contract.ts';
import type {
  Channel,
  ChannelCapabilities,
  ChannelHealth,
  ChannelHost,
  ChannelOptions,
  HttpAnswer,
  IncomingHttp,
  MenuCommand,
  SendRequest,
} from '../contract.ts';
import { Connection, explainToken } from './connection.ts';
import { pause, within } from './pause.ts';
import type { BotUser } from './receiving/message-context.ts';
import { askWho, Updates } from './receiving/updates.ts';
import { TEXT_LIMIT } from './sending/payload-parts.ts';
import { Sender } from './sending/sender.ts';
import { readSettings, type TelegramSettings } from './settings.ts';
import { readMessageId, readTarget } from './target.ts';
import { isCallFailure, TelegramApi } from './telegram-api.ts';

interface Running {
  readonly host: ChannelHost;
  readonly updates: Updates;
  readonly end: AbortController;
  readonly done: Promise<void>;
}

/** Telegram shows no more. */
const MAX_COMMANDS = 100;
const SOON_MS = 15_000;
const MENU_RETRY_MS = 60_000;

/** One bot on Telegram. */
export class TelegramChannel implements Channel {
  readonly name = 'telegram';
  readonly accountId: string;
  readonly capabilities: ChannelCapabilities = {
    textLimit: TEXT_LIMIT,
    // The Bot API has no key for repeats.
    recognisesRepeats: false,
    hasThreads: true,
    canEdit: true,
    canReact: true,
    canShowActivity: true,
    // About 20 messages a minute in a group, edits and other replies among them.
    editEveryMs: { direct: 1500, group: 5000 },
    activityMs: 4000,
    hasButtons: true,
    hasCommandMenu: true,
    media: ['image', 'audio', 'voice', 'video', 'document', 'sticker'],
  };
  readonly #options: ChannelOptions;
  readonly #settings: TelegramSettings;
  readonly #clock: Clock;
  readonly #api: TelegramApi;
  readonly #sender: Sender;
  readonly #connection: Connection;
  #me: BotUser | undefined;
  /** What Telegram has not taken yet. */
  #commands: readonly MenuCommand[] | undefined;
  #offering: Promise<void> | undefined;
  #running: Running | undefined;

  constructor(options: ChannelOptions, clock: Clock = { ...systemClock, now: options.now }) {
    this.#options = options;
    this.#clock = clock;
    this.accountId = options.accountId;
    this.#settings = readSettings(options.settings);
    this.#api = new TelegramApi(this.#settings.botToken, this.#settings.apiRoot);
    this.#connection = new Connection(clock);
    this.#sender = new Sender({
      api: this.#api,
      media: options.media,
      linkPreview: this.#settings.linkPreview,
      wait: (ms, signal) => pause(clock, ms, signal),
      report: (message) => this.#running?.host.report(message),
    });
  }

  async start(host: ChannelHost): Promise<void> {
    if (this.#running !== undefined) return;
    const end = new AbortController();
    this.#connection.starting();
    const updates = new Updates({
      api: this.#api,
      accountId: this.accountId,
      settings: this.#settings,
      media: this.#options.media,
      clock: this.#clock,
      connection: this.#connection,
      host,
      signal: end.signal,
      onReady: async (me) => {
        this.#me = me;
        this.#offerCommands(end.signal);
      },
    });
    this.#running = { host, updates, end, done: updates.run() };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.end.abort(new Error('The channel was stopped.'));
    await running?.done;
    await this.#offering;
    this.#connection.stopped();
  }

  health(): ChannelHealth {
    return this.#connection.health;
  }

  summary(): string {
    const { state } = this.health();
    return this.#me?.username === undefined
      ? `Telegram: ${state}`
      : `Telegram: ${state} as @${this.#me.username}`;
  }

  async probe(signal: AbortSignal): Promise<string> {
    const { id, username, readsGroups } = await askWho(this.#api, signal).catch((error: unknown) => {
      if (!isCallFailure(error) || (error.status !== 401 && error.status !== 404)) throw error;
      throw new OpenBotError('CHANNEL_FAILED', explainToken(error.message).replace(/\.$/, ''), {
        hint: '@BotFather gives it: docs/channels/telegram.md',
      });
    });
    const groups = readsGroups
      ? 'reads all messages of its groups'
      : 'in groups it is given mentions, replies to it and commands alone: its privacy mode is on (@BotFather, /setprivacy)';
    return `@${username} (id ${id}), ${groups}`;
  }

  send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    return this.#sender.send(request);
  }

  edit(request: Parameters<Sender['edit']>[0]): Promise<void> {
    return this.#sender.edit(request);
  }

  async react(target: DeliveryTarget, messageId: string, emoji: string | undefined): Promise<void> {
    const { chatId } = readTarget(target);
    const reaction = emoji === undefined ? [] : [{ type: 'emoji', emoji }];
    const fields = { message_id: readMessageId(messageId), reaction };
    await this.#soon((signal) => this.#sender.call('setMessageReaction', { chatId }, fields, signal));
  }

  async showActivity(target: DeliveryTarget): Promise<void> {
    const place = readTarget(target);
    await this.#soon((signal) => this.#sender.call('sendChatAction', place, { action: 'typing' }, signal));
  }

  /** Telegram is given them as soon as it can be reached. */
  async setCommands(commands: readonly MenuCommand[]): Promise<void> {
    this.#commands = commands;
    // Before the bot is known, and where it fails, the loop of updates does it.
    if (this.#me !== undefined) await this.#giveCommands().catch(() => {});
  }

  async receiveHttp(request: IncomingHttp): Promise<HttpAnswer> {
    return this.#running?.updates.receiveHttp(request) ?? { status: 503 };
  }

  /** A small call: until it is answered, or it takes too long, or the channel is stopped. */
  #soon<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#running?.end ?? new AbortController();
    return within(this.#clock, SOON_MS, signal, work);
  }

  /** Beside the loop of updates: messages do not wait for a menu. */
  #offerCommands(signal: AbortSignal): void {
    if (this.#commands === undefined || this.#offering !== undefined) return;
    const offer = async () => {
      while (this.#commands !== undefined && !signal.aborted) {
        try {
          await this.#giveCommands();
        } catch (error) {
          const { retryAfterMs = MENU_RETRY_MS } = isCallFailure(error) ? error : {};
          await pause(this.#clock, retryAfterMs, signal);
        }
      }
    };
    this.#offering = offer().finally(() => {
      this.#offering = undefined;
    });
  }

  async #giveCommands(): Promise<void> {
    const commands = this.#commands;
    if (commands === undefined) return;
    const shown = commands
      .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
      .map(({ name, description }) => ({ command: name, description: description.slice(0, 256) || name }));
    try {
      const params = { commands: shown.slice(0, MAX_COMMANDS) };
      await this.#soon((signal) => this.#api.call('setMyCommands', params, signal));
    } catch (error) {
      if (!isCallFailure(error) || !error.isPermanent) throw error;
      this.#running?.host.report(`Telegram did not take the menu of commands: ${error.message}`);
    }
    if (this.#commands === commands) this.#commands = undefined;
  }
}
