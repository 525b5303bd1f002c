import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MsgContext } from '@openbot/sessions';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import type {
  ChannelHost,
  ChannelMedia,
  ChannelOptions,
  SendRequest,
} from '../../../src/channels/contract.ts';
import { TelegramChannel } from '../../../src/channels/telegram/telegram-channel.ts';
import type { Clock } from '../../../src/clock.ts';
import type { ReplyPayload } from '../../../src/outbox/reply-payload.ts';
import { ManualClock } from '../../setup/manual-clock.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';
import { MemoryInboxHost } from '../memory-inbox-host.ts';
import { BotApi } from './bot-api.ts';
import { TestMedia } from './test-media.ts';

export const SECRET = 'a-secret_of_the_webhook';

/** Also has the fields of what it was given. */
class ContextHost extends MemoryInboxHost {
  readonly contexts: MsgContext[] = [];
  readonly amendedContexts: MsgContext[] = [];

  constructor() {
    super();
    const { accept } = this;
    this.accept = (given) => {
      this.contexts.push(given.ctx);
      return accept(given);
    };
  }

  override async amend(given: Parameters<ChannelHost['amend']>[0]): Promise<void> {
    this.amendedContexts.push(given.ctx);
    await super.amend(given);
  }
}

/** A bot on the imitation. Time passes only when the test says so. */
export class TelegramBench {
  readonly api: BotApi;
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly media = new TestMedia();
  readonly host = new ContextHost();
  readonly #stateDir = makeTempFolder();
  channel!: TelegramChannel;
  /** What is in front of the channel answers 502. */
  isProxyDead = false;
  /** Messages that the host was given, whether it kept them or not. */
  attempts = 0;

  private constructor(api: BotApi) {
    this.api = api;
  }

  static async make(): Promise<TelegramBench> {
    return new TelegramBench(await BotApi.start());
  }

  /** Not started. */
  makeChannel(settings: Record<string, unknown> = {}): TelegramChannel {
    const channel = new TelegramChannel(this.#options(settings), this.clock as Clock);
    const start = channel.start.bind(channel);
    channel.start = (host) => start(this.#watch(host));
    afterTest(() => channel.stop());
    this.channel = channel;
    return channel;
  }

  /** A channel that is connected. */
  async start(settings: Record<string, unknown> = {}): Promise<TelegramChannel> {
    const channel = this.makeChannel(settings);
    await channel.start(this.host);
    await this.until(() => channel.health().state === 'connected', 'the connection');
    return channel;
  }

  /** Telegram has an update, and it is delivered. */
  async deliver(update: Record<string, unknown>): Promise<void> {
    this.api.updates.push(update);
    await this.until(() => this.api.updates.unconfirmed.length === 0, 'the confirmation');
  }

  /** A message is delivered. Resolves to what the host was given of it. */
  async receive(fields: Record<string, unknown>, id = 1): Promise<MsgContext> {
    await this.deliver({ message: message(id, fields) });
    return this.host.contexts.at(-1) ?? {};
  }

  request(payload: ReplyPayload, rest: Partial<SendRequest> = {}): SendRequest {
    return {
      key: 'turn-1:0',
      target: { channel: 'telegram', accountId: 'default', to: 'telegram:777' },
      payload,
      mayBeRepeat: false,
      sentIds: [],
      onPart: async () => {},
      allowTime: async () => {},
      signal: new AbortController().signal,
      ...rest,
    };
  }

  /** A server that gives what it is sent to the channel, as the gateway does. */
  async listen(): Promise<string> {
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      if (this.isProxyDead) return void response.writeHead(502).end();
      const headers = request.headers as Record<string, string>;
      const answer = await this.channel.receiveHttp({
        method: request.method ?? '',
        path: request.url ?? '',
        headers,
        body,
      });
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterTest(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }

  /** Waits for a state, not for a time. */
  async until(isDone: () => boolean, what = 'it'): Promise<void> {
    for (let rounds = 0; !isDone(); rounds++) {
      if (rounds > 10_000) throw new Error(`Waited in vain for ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, rounds < 100 ? 0 : 5));
    }
  }

  /** Lets time pass, second by second, until a state is reached. */
  async pass(isDone: () => boolean, what?: string): Promise<void> {
    for (let rounds = 0; !isDone(); rounds++) {
      if (rounds > 5000) throw new Error(`Time passed in vain for ${what ?? 'it'}.`);
      await this.clock.advance(1000);
    }
  }

  #options(settings: Record<string, unknown>): ChannelOptions {
    const { token, root } = this.api;
    return {
      accountId: 'default',
      settings: { botToken: token, apiRoot: root, ...settings },
      stateDir: this.#stateDir,
      now: () => this.clock.now(),
      media: this.media as ChannelMedia,
    };
  }

  #watch(host: ChannelHost): ChannelHost {
    const accept: ChannelHost['accept'] = (message) =>
      host.accept(message).finally(() => {
        this.attempts++;
      });
    return new Proxy(host, {
      get: (target, key) => (key === 'accept' ? accept : Reflect.get(target, key, target)),
    });
  }
}

export const ADA = { id: 777, is_bot: false, first_name: 'Ada', last_name: 'L.', username: 'ada_l' };
export const CHAT = { id: 777, type: 'private', first_name: 'Ada' };
export const GROUP = { id: -100123, type: 'supergroup', title: 'Team' };
export const FORUM = { ...GROUP, is_forum: true };

/** A message as Telegram gives it. */
export function message(id: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { message_id: id, date: 1_700_000_000, chat: CHAT, from: ADA, ...fields };
}
