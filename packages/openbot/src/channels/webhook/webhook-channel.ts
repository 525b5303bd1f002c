import { OpenBotError } from '@openbot/sessions';
import { mediaFields } from '../../media/media-fields.ts';
import type {
  Channel,
  ChannelCapabilities,
  ChannelHealth,
  ChannelHost,
  ChannelOptions,
  HttpAnswer,
  IncomingHttp,
  SendRequest,
} from '../contract.ts';
import { AccountHealth } from '../http/account-health.ts';
import { RefusedCalls } from '../http/refused-calls.ts';
import { sendFailure } from '../send-failure.ts';
import { findForgery } from './envelope.ts';
import { type PostFailure, postReply } from './post-reply.ts';
import { type PostedMessage, readPostedMessage, WEBHOOK } from './read-message.ts';
import type { WebhookSettings } from './settings.ts';
import { takeFiles } from './take-files.ts';

export interface WebhookOptions extends Omit<ChannelOptions, 'settings'> {
  readonly settings: WebhookSettings;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const FAULTS_OF_SENDER: readonly string[] = ['INVALID_ARGUMENT', 'INVALID_SESSION_KEY'];

/** Whatever speaks signed HTTP: the way to attach what has no adapter of its own. */
export class WebhookChannel implements Channel {
  readonly name = WEBHOOK;
  readonly accountId: string;
  readonly capabilities: ChannelCapabilities;
  readonly #options: WebhookOptions;
  readonly #refused: RefusedCalls;
  readonly #health: AccountHealth;
  readonly #pending = new Set<Promise<unknown>>();
  /** The last message of each conversation that is being taken. */
  readonly #tails = new Map<string, Promise<unknown>>();
  /** Since the start. */
  #hasSent = false;
  /** Replies in a row that found nothing at the address. */
  #misses = 0;
  #ending = new AbortController();
  #host: ChannelHost | undefined;

  constructor(options: WebhookOptions) {
    const { accountId, settings, now } = options;
    this.#options = options;
    this.accountId = accountId;
    this.capabilities = {
      textLimit: settings.textLimit,
      recognisesRepeats: settings.recognisesRepeats,
      hasThreads: true,
      canEdit: false,
      canReact: false,
      canShowActivity: false,
      hasButtons: true,
      hasCommandMenu: false,
      media: ['image', 'audio', 'voice', 'video', 'document', 'sticker'],
    };
    const hint = 'If your program made them, it signs with another secret or its clock is wrong';
    this.#refused = new RefusedCalls({ now, hint });
    this.#health = new AccountHealth(now, this.#refused);
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    this.#ending = new AbortController();
    this.#hasSent = false;
    this.#misses = 0;
    this.#health.starting();
    // There is no connection to wait for: it works until a send says otherwise.
    this.#health.works();
  }

  health(): ChannelHealth {
    return this.#health.read();
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    try {
      const sent = await postReply(request, this.#options);
      this.#hasSent = true;
      this.#misses = 0;
      this.#health.works();
      return sent;
    } catch (error) {
      const { isPermanent, isOfAccount, mayBeOfAddress, message } = error as PostFailure;
      if (mayBeOfAddress) this.#misses++;
      const isNothingThere = mayBeOfAddress && (this.#misses > 1 || !this.#hasSent);
      if (isOfAccount) this.#health.failed(message);
      else if (isNothingThere) this.#health.unreachable(`${message}. Is the url of the account right?`);
      else if (isPermanent) this.#health.works();
      else if (isPermanent === false && !request.signal.aborted) this.#health.unreachable(message);
      throw error;
    }
  }

  async receiveHttp(request: IncomingHttp): Promise<HttpAnswer> {
    const host = this.#host;
    if (host === undefined) return answer(503, { error: 'The channel has stopped.' });
    if (request.method !== 'POST')
      return { ...answer(405, { error: 'Only POST.' }), headers: { allow: 'POST' } };
    const { settings, now } = this.#options;
    const forgery = findForgery(settings.secret, request, now());
    if (forgery !== undefined) {
      const report = this.#refused.refuse(forgery);
      if (report !== undefined) host.report(report);
      return answer(401, { error: forgery });
    }
    this.#refused.forget();
    const message = this.#read(request.body);
    if (typeof message === 'string') return answer(400, { error: message });
    const work = this.#takeInOrder(message, host);
    this.#pending.add(work);
    try {
      const { isNew } = await work;
      return answer(isNew ? 202 : 200, { id: message.messageId, isNew });
    } catch (error) {
      if (this.#ending.signal.aborted) return answer(503, { error: 'The channel has stopped.' });
      // Sent again, it would be refused again.
      if (error instanceof OpenBotError && FAULTS_OF_SENDER.includes(error.code))
        return answer(400, { error: error.message });
      host.report(`A message was not kept: ${error}`);
      return answer(500, { error: 'It was not kept. Send it again.' });
    } finally {
      this.#pending.delete(work);
    }
  }

  summary(): string {
    return `Webhook: ${this.#health.read().state}`;
  }

  async stop(): Promise<void> {
    this.#host = undefined;
    this.#ending.abort(sendFailure('The channel has stopped.', { isPermanent: false, mayHaveArrived: true }));
    await Promise.allSettled(this.#pending);
    this.#health.stopped();
  }

  /** A text says what is wrong with it. */
  #read(body: Uint8Array): PostedMessage | string {
    try {
      return readPostedMessage(
        JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)),
        this.accountId,
      );
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      return code === 'INVALID_ARGUMENT' ? message : 'The body is not JSON.';
    }
  }

  /** A text does not overtake the file that was posted before it. */
  #takeInOrder(message: PostedMessage, host: ChannelHost): Promise<{ readonly isNew: boolean }> {
    const { conversationId } = message;
    const before = this.#tails.get(conversationId) ?? Promise.resolve();
    const taking = before
      .catch(() => {})
      .then(() => this.#take(message, host))
      .finally(() => {
        if (this.#tails.get(conversationId) === taking) this.#tails.delete(conversationId);
      });
    this.#tails.set(conversationId, taking);
    return taking;
  }

  async #take(
    { files, ctx, ...ids }: PostedMessage,
    host: ChannelHost,
  ): Promise<{ readonly isNew: boolean }> {
    const { media, wait } = this.#options;
    const { signal } = this.#ending;
    signal.throwIfAborted();
    const isHeard = files.length > 0 && (await host.mayTalk(ctx));
    const { kept, missing } = await takeFiles(isHeard ? files : [], media, { signal, wait });
    signal.throwIfAborted();
    for (const { reason } of missing) host.report(`A file of a message was not taken: ${reason}`);
    return host.accept({ ...ids, ctx: { ...ctx, ...mediaFields(kept, missing) } });
  }
}

function answer(status: number, body: object): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
