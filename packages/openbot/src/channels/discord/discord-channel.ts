import { hash } from 'node:crypto';
import type { DeliveryTarget } from '../../outbox/contract.ts';
import type {
  Channel,
  ChannelCapabilities,
  ChannelHealth,
  ChannelHost,
  ChannelOptions,
  MenuCommand,
  SendRequest,
} from '../contract.ts';
import { sendFailure } from '../send-failure.ts';
import { FATAL, GatewayLink } from './connection/gateway-link.ts';
import { StreamPlace } from './connection/stream-place.ts';
import { DiscordApi } from './discord-api.ts';
import { Inbound } from './receiving/inbound.ts';
import { TEXT_OPTION } from './receiving/wire-interaction.ts';
import { readList, readObject } from './receiving/wire-message.ts';
import { FirstTries } from './sending/first-tries.ts';
import { Outbound } from './sending/outbound.ts';
import { TEXT_LIMIT } from './sending/reply-parts.ts';
import { readSendError } from './sending/send-errors.ts';
import { type DiscordSettings, readDiscordSettings } from './settings.ts';
import { isId } from './snowflake.ts';
import { realTiming, type Timing } from './timing.ts';

const CAPABILITIES: ChannelCapabilities = {
  textLimit: TEXT_LIMIT,
  recognisesRepeats: true,
  hasThreads: true,
  canEdit: true,
  canReact: true,
  canShowActivity: true,
  activityMs: 8000,
  hasButtons: true,
  hasCommandMenu: true,
  media: ['image', 'audio', 'video', 'document'],
};
/** The intent for the content of messages, of small bots and of verified ones. */
const MAY_READ = (1 << 18) | (1 << 19);
const FOR_GOOD = { isPermanent: true, mayHaveArrived: false };
const CATCHING_UP = 'Connected, and catching up with what was said meanwhile.';
const COMMANDS_NOTE = 'commands';
const MOST_COMMANDS = 100;

interface Open {
  readonly host: ChannelHost;
  readonly link: GatewayLink;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  readonly place: StreamPlace;
}

/** A bot on Discord. */
export class DiscordChannel implements Channel {
  readonly name = 'discord';
  readonly accountId: string;
  readonly capabilities = CAPABILITIES;
  readonly #options: ChannelOptions;
  readonly #settings: DiscordSettings;
  readonly #timing: Timing;
  readonly #api: DiscordApi;
  #open: Open | undefined;

  constructor(options: ChannelOptions, timing: Timing = realTiming(options.now)) {
    this.accountId = options.accountId;
    this.#options = options;
    this.#settings = readDiscordSettings(options.settings);
    this.#timing = timing;
    const { apiRoot, token } = this.#settings;
    this.#api = new DiscordApi({ apiRoot, token, timing });
  }

  async start(host: ChannelHost): Promise<void> {
    const { token, remarks, suppressEmbeds } = this.#settings;
    const { accountId, media } = this.#options;
    const api = this.#api;
    const timing = this.#timing;
    for (const remark of remarks) host.report(remark);
    const place = await StreamPlace.load(host.notes, (error) =>
      host.report(
        `Discord: the place in the events was not kept: ${error instanceof Error ? error.message : error}`,
      ),
    );
    const inbound: Inbound = new Inbound({
      accountId,
      settings: this.#settings,
      media,
      api,
      host,
      place,
      timing,
      onFailure: (message) => link.again(message),
    });
    const link: GatewayLink = new GatewayLink({
      api,
      token,
      place,
      timing,
      onDispatch: (event) => inbound.take(event),
      onEnd: () => inbound.drop(),
    });
    const tries = new FirstTries(host.notes, timing.now);
    const outbound = new Outbound({
      api,
      book: inbound.book,
      media,
      tries,
      suppressEmbeds,
      now: timing.now,
      wait: timing.wait,
      report: (message) => host.report(message),
      lastIn: (id) => place.lastIn(id),
    });
    this.#open = { host, link, inbound, outbound, place };
    link.start();
  }

  health(): ChannelHealth {
    const { link, inbound } = this.#open ?? {};
    const health = link?.health() ?? { state: 'stopped' };
    return health.state === 'connected' && inbound?.isCatchingUp
      ? { state: 'reconnecting', since: health.since, error: CATCHING_UP }
      : health;
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    return this.#sending(request.signal, async ({ outbound }) => ({ ids: await outbound.send(request) }));
  }

  async edit({ target, id, text, signal }: Parameters<NonNullable<Channel['edit']>>[0]): Promise<void> {
    await this.#sending(signal, async ({ outbound }) => {
      const channelId = await outbound.findChannel(target, signal);
      const body = { content: text, allowed_mentions: { parse: [] } };
      await this.#api.call('PATCH', `/channels/${channelId}/messages/${id}`, { body, signal });
    });
  }

  async react(target: DeliveryTarget, messageId: string, emoji: string | undefined): Promise<void> {
    await this.#sending(undefined, async ({ outbound }) => {
      const message = `/channels/${await outbound.findChannel(target)}/messages/${messageId}` as const;
      if (emoji !== undefined) {
        await this.#api.call('PUT', `${message}/reactions/${writeEmoji(emoji)}/@me`);
        return;
      }
      const { reactions } = readObject(await this.#api.call('GET', message));
      for (const raw of readList(reactions).map(readObject)) {
        const { id, name } = readObject(raw.emoji);
        if (raw.me !== true || typeof name !== 'string') continue;
        const own = encodeURIComponent(isId(id) ? `${name}:${id}` : name);
        await this.#api.call('DELETE', `${message}/reactions/${own}/@me`);
      }
    });
  }

  async showActivity(target: DeliveryTarget): Promise<void> {
    await this.#sending(undefined, async ({ outbound }) => {
      await this.#api.call('POST', `/channels/${await outbound.findChannel(target)}/typing`);
    });
  }

  async setCommands(commands: readonly MenuCommand[]): Promise<void> {
    const body = commands
      .filter(({ name }) => /^[a-z0-9_-]{1,32}$/.test(name))
      .slice(0, MOST_COMMANDS)
      .map(writeCommand);
    await this.#sending(undefined, async ({ host }) => {
      const self = await this.#api.self();
      const print = hash('sha256', JSON.stringify([self.id, body]));
      // Discord counts how many commands are made in a day.
      if ((await host.notes.read(COMMANDS_NOTE)) === print) return;
      const { id } = readObject(await this.#api.patiently('GET', '/applications/@me'));
      if (!isId(id)) throw new Error('Discord does not say the id of the application.');
      await this.#api.patiently('PUT', `/applications/${id}/commands`, { body });
      await host.notes.write(COMMANDS_NOTE, print);
    });
  }

  async probe(signal: AbortSignal): Promise<string> {
    try {
      const { username, id } = await this.#api.self(signal);
      const { flags } = readObject(await this.#api.call('GET', '/applications/@me', { signal }));
      if (typeof flags === 'number' && (flags & MAY_READ) === 0)
        throw sendFailure(FATAL[4014] ?? '', FOR_GOOD);
      return `Discord: @${username} (${id})`;
    } catch (error) {
      throw isSendFailure(error) ? error : readSendError(error, signal);
    }
  }

  summary(): string {
    const { state } = this.health();
    const self = this.#api.knownSelf;
    return `Discord: ${state}${self === undefined ? '' : ` as @${self.username}`}`;
  }

  async stop(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    await Promise.all([open.link.stop(), open.inbound.stop()]);
    await open.place.flush();
    this.#api.close();
  }

  /** Failures in the words of the contract. */
  async #sending<T>(signal: AbortSignal | undefined, work: (open: Open) => Promise<T>): Promise<T> {
    const open = this.#open;
    if (open === undefined) {
      throw sendFailure('The channel is stopped', { isPermanent: false, mayHaveArrived: false });
    }
    try {
      return await work(open);
    } catch (error) {
      throw isSendFailure(error) ? error : readSendError(error, signal);
    }
  }
}

function isSendFailure(error: unknown): boolean {
  return error instanceof Error && 'isPermanent' in error;
}

/** Discord writes its own ones as `<:name:id>`, and takes them as `name:id`. */
function writeEmoji(emoji: string): string {
  const [, own] = /^<a?:(\w+:\d+)>$/.exec(emoji) ?? [];
  return encodeURIComponent(own ?? emoji);
}

function writeCommand({ name, description, takesText }: MenuCommand): Record<string, unknown> {
  const option = { type: 3, name: TEXT_OPTION, description: 'What follows the command', required: false };
  return {
    type: 1,
    name,
    description: description.slice(0, 100) || name,
    ...(takesText && { options: [option] }),
  };
}
