import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../clock.ts';
import type { ChannelHost, ChannelMedia, HttpAnswer, IncomingHttp } from '../../contract.ts';
import { readObject } from '../../http/hostile-json.ts';
import { sendFailure } from '../../send-failure.ts';
import type { Connection } from '../connection.ts';
import { pause, within } from '../pause.ts';
import { readInteger, readText } from '../read-json.ts';
import type { TelegramSettings } from '../settings.ts';
import { isCallFailure, type TelegramApi } from '../telegram-api.ts';
import { AddressedAlbums } from './album.ts';
import type { BotUser } from './message-context.ts';
import { albumOf, conversationOf, isChange, listUpdateKinds } from './read-update.ts';
import { receiveUpdate } from './receive-update.ts';
import { BATCH, type Update, UpdateWork } from './update-work.ts';

/** How long Telegram holds a call that asks for updates while there are none. */
const POLL_SECONDS = 25;
/** A connection that says nothing for so long, beyond what was asked for, is dead. */
const ANSWER_MS = 15_000;
/** While something is not kept yet, other conversations are asked for this often. */
const BUSY_POLL_MS = 1000;
/** Nothing new comes for so long: people are told. */
const HELD_UP_MS = 5000;
const WEBHOOK_CHECK_MS = 300_000;
/** While messages wait at Telegram that it could not bring. It tries once a minute. */
const WEBHOOK_RECHECK_MS = 30_000;

export interface UpdatesOptions {
  readonly api: TelegramApi;
  readonly accountId: string;
  readonly settings: TelegramSettings;
  readonly media: ChannelMedia;
  readonly clock: Clock;
  readonly connection: Connection;
  readonly host: ChannelHost;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Telegram answers, and knows the bot. Rejects when the next call should wait. */
  readonly onReady: (me: BotUser) => Promise<void>;
}

/**
 * Takes the updates of a bot. It asks for them itself instead of by grammY's `bot.start()`, which counts an update as handled when its
 * handler has failed, confirms one that is still being handled when it is stopped, lets all chats wait for one download, and does not
 * tell when the connection is lost.
 */
export class Updates {
  readonly #options: UpdatesOptions;
  readonly #work: UpdateWork;
  /** The end of the work of each conversation, for a webhook. */
  readonly #chains = new Map<string, Promise<void>>();
  readonly #albums = new AddressedAlbums();
  #me: BotUser | undefined;
  /** The connection was good at the last call, so the next one may take long. */
  #isProven = false;
  /** When Telegram last failed to call us, as far as that is known, seconds. */
  #webhookFailedAt: number | undefined;
  /** A call was taken since Telegram was last asked whether it reaches us. */
  #isReached = false;
  #isUnreached = false;
  /** Since when Telegram gives nothing new, because the first message of a full batch is not kept. */
  #fullSince: number | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#work = new UpdateWork({
      handle: (updates) => this.#handle(updates),
      conversationOf,
      albumOf: (update) => (isChange(update) ? undefined : albumOf(update)),
      signal: options.signal,
      clock: options.clock,
      onFailure: (error) => this.#reportFailure(error),
    });
  }

  /** Until the signal ends it and nothing is being worked on. */
  async run(): Promise<void> {
    const { api, clock, settings, connection, signal, onReady } = this.#options;
    let isPrepared = false;
    while (!signal.aborted) {
      try {
        this.#me ??= await within(clock, ANSWER_MS, signal, (deadline) => askWho(api, deadline));
        if (!isPrepared) await this.#prepare();
        isPrepared = true;
        await onReady(this.#me);
        await (settings.webhook === undefined ? this.#poll() : this.#checkWebhook(settings.webhook));
      } catch (error) {
        if (signal.aborted) break;
        // A short call would not show whether the other program is gone.
        this.#isProven = isCallFailure(error) && error.status === 409;
        await connection.recover(error, signal);
      }
    }
    await this.#work.settled();
    await Promise.allSettled(this.#chains.values());
  }

  /** A call of Telegram's. It is answered when what it brings is kept; after another answer Telegram calls again. */
  async receiveHttp(request: IncomingHttp): Promise<HttpAnswer> {
    const { settings, signal } = this.#options;
    if (settings.webhook === undefined) return { status: 404 };
    const shown = request.headers['x-telegram-bot-api-secret-token'] ?? '';
    if (!isEqual(shown, settings.webhook.secret)) return { status: 401 };
    if (request.method !== 'POST') return { status: 405 };
    const update = parseUpdate(request.body);
    if (update === undefined) return { status: 400 };
    if (this.#me === undefined || signal.aborted) return { status: 503 };
    const conversation = conversationOf(update);
    const before = this.#chains.get(conversation) ?? Promise.resolve();
    const handling = before.catch(() => {}).then(() => this.#handle([update]));
    this.#chains.set(conversation, handling);
    try {
      await handling;
      this.#noteReached();
      return { status: 200 };
    } catch (error) {
      this.#reportFailure(error);
      return { status: 500 };
    } finally {
      if (this.#chains.get(conversation) === handling) this.#chains.delete(conversation);
    }
  }

  async #handle(updates: readonly Update[]): Promise<void> {
    const { settings, signal } = this.#options;
    signal.throwIfAborted();
    const albums = this.#albums;
    return receiveUpdate(updates, { ...this.#options, ...settings, me: this.#me!, albums });
  }

  #reportFailure(error: unknown): void {
    const { host, signal } = this.#options;
    if (!signal.aborted) host.report(`A message of Telegram could not be kept: ${(error as Error).message}`);
  }

  /** Chooses how updates come. What waits on the network stays there. */
  async #prepare(): Promise<void> {
    const { settings } = this.#options;
    const kept = { drop_pending_updates: false };
    if (settings.webhook === undefined) return void (await this.#ask('deleteWebhook', kept));
    const { url, secret } = settings.webhook;
    const allowed_updates = listUpdateKinds(settings);
    // Several calls at a time pass each other on the way, and nothing tells that an earlier one is still to come.
    const order = { max_connections: 1 };
    await this.#ask('setWebhook', { url, secret_token: secret, allowed_updates, ...order, ...kept });
  }

  async #poll(): Promise<void> {
    const { clock, connection, signal } = this.#options;
    const work = this.#work;
    if (work.open < BATCH) {
      const updates = await this.#getUpdates(work.open > 0 || !this.#isProven ? 0 : POLL_SECONDS);
      this.#isProven = true;
      connection.connected();
      work.add(updates);
    }
    this.#watchBatch();
    const settled = new AbortController();
    const time = pause(clock, BUSY_POLL_MS, AbortSignal.any([signal, settled.signal]));
    await Promise.race([work.settled(), time]);
    if (work.open > 0) await time;
    // A reason without a stack, which would take as long as the call.
    settled.abort('settled');
    if (!signal.aborted) work.retryDue();
  }

  #watchBatch(): void {
    const { clock, connection } = this.#options;
    if (this.#work.open < BATCH) {
      this.#fullSince = undefined;
      return;
    }
    this.#fullSince ??= clock.now();
    if (clock.now() - this.#fullSince >= HELD_UP_MS)
      connection.heldUp('No new messages are taken: one that came before them could not be kept yet.');
  }

  async #getUpdates(timeout: number): Promise<readonly Update[]> {
    const { api, clock, settings, signal } = this.#options;
    const allowed_updates = listUpdateKinds(settings);
    const { offset } = this.#work;
    const updates = await within(clock, 1000 * timeout + ANSWER_MS, signal, (deadline) =>
      api.call('getUpdates', { offset, timeout, limit: BATCH, allowed_updates }, deadline),
    );
    return Array.isArray(updates) ? updates.flatMap((update) => asUpdate(update) ?? []) : [];
  }

  /** A call that is answered at once. */
  #ask(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    const { api, clock, signal } = this.#options;
    return within(clock, ANSWER_MS, signal, (deadline) => api.call(method, params, deadline));
  }

  /** Telegram says when it cannot reach us, and another program may have put its own address in the place of ours. */
  async #checkWebhook({ url }: { readonly url: string }): Promise<void> {
    const { clock, connection, host, signal } = this.#options;
    const info = readObject(await this.#ask('getWebhookInfo')) ?? {};
    if (info.url !== url) {
      const failure = sendFailure('The webhook was changed', { isPermanent: false, mayHaveArrived: false });
      throw Object.assign(failure, { status: 409, description: 'webhook' });
    }
    const failedAt = readInteger(info.last_error_date) ?? 0;
    const waits = (readInteger(info.pending_update_count) ?? 0) > 0;
    // One from before the start says nothing about now.
    const isNewer = failedAt > (this.#webhookFailedAt ?? failedAt);
    const why = `Telegram could not call ${url}: ${readText(info.last_error_message) ?? 'no reason given'}`;
    if (isNewer && !this.#isUnreached) host.report(why);
    // What it brings at last, or nothing that waits, shows that it reaches us again; it never takes an error back.
    this.#isUnreached = waits && !this.#isReached && (isNewer || this.#isUnreached);
    if (this.#isUnreached) connection.heldUp(why);
    else connection.connected();
    this.#webhookFailedAt = failedAt;
    this.#isReached = false;
    await pause(clock, waits && failedAt > 0 ? WEBHOOK_RECHECK_MS : WEBHOOK_CHECK_MS, signal);
  }

  #noteReached(): void {
    this.#isReached = true;
    if (!this.#isUnreached) return;
    this.#isUnreached = false;
    this.#options.connection.connected();
  }
}

/** The bot that the token belongs to. */
export async function askWho(
  api: TelegramApi,
  signal: AbortSignal,
): Promise<BotUser & { readonly readsGroups: boolean }> {
  const { id, username, can_read_all_group_messages } = readObject(await api.call('getMe', {}, signal)) ?? {};
  return {
    id: readInteger(id) ?? 0,
    ...(typeof username === 'string' && /^\w{1,64}$/.test(username) && { username }),
    readsGroups: can_read_all_group_messages === true,
  };
}

function parseUpdate(body: Uint8Array): Update | undefined {
  try {
    return asUpdate(JSON.parse(Buffer.from(body).toString()));
  } catch {
    return undefined;
  }
}

function asUpdate(value: unknown): Update | undefined {
  const update = readObject(value);
  return readInteger(update?.update_id) === undefined ? undefined : (update as Update);
}

/** In the same time whatever they have in common. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
