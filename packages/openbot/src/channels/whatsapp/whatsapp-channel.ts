import { delayAfter } from '../../clock.ts';
import type { DeliveryTarget } from '../../outbox/contract.ts';
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
import { isApiFailure } from './api-failure.ts';
import { GraphClient } from './graph-client.ts';
import { WHATSAPP } from './message-context.ts';
import { Outgoing } from './outgoing.ts';
import { TEXT_LIMIT } from './plan-parts.ts';
import type { ArrivedMessage } from './read-webhook.ts';
import { Receiver } from './receiver.ts';
import { readRecipient } from './recipient.ts';
import type { WhatsAppSettings } from './settings.ts';

export interface WhatsAppOptions extends Omit<ChannelOptions, 'settings'> {
  readonly settings: WhatsAppSettings;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** How long the answer to a webhook waits for its files, ms. */
  readonly filesMs?: number;
}

const CHECK_RETRY = { firstMs: 5000, mostMs: 300_000 };
/** WhatsApp wants nearly all of its webhooks answered within a second. */
const FILES_MS = 5000;
const CALL_TIMEOUT_MS = 20_000;
const MOST_REMEMBERED = 1000;

/** One phone number on the Cloud API of WhatsApp. */
export class WhatsAppChannel implements Channel {
  readonly name = WHATSAPP;
  readonly accountId: string;
  readonly capabilities: ChannelCapabilities;
  readonly #options: WhatsAppOptions;
  readonly #client: GraphClient;
  readonly #refused: RefusedCalls;
  readonly #health: AccountHealth;
  readonly #outgoing: Outgoing;
  /** The last message of each address, which a typing mark belongs to. */
  readonly #lastIds = new Map<string, string>();
  readonly #pending = new Set<Promise<unknown>>();
  #ending = new AbortController();
  #host: ChannelHost | undefined;
  #receiver: Receiver | undefined;
  #checking: Promise<void> | undefined;
  #ownName: string | undefined;

  constructor(options: WhatsAppOptions) {
    const { accountId, settings, now, media, wait } = options;
    this.#options = options;
    this.accountId = accountId;
    this.capabilities = {
      textLimit: TEXT_LIMIT,
      // A status can prove a send, but nothing stops WhatsApp from showing a repeat.
      recognisesRepeats: false,
      hasThreads: false,
      canEdit: false,
      canReact: true,
      // To show it marks the message as read.
      canShowActivity: settings.sendReadReceipts,
      activityMs: 20_000,
      hasButtons: true,
      hasCommandMenu: false,
      media: ['image', 'audio', 'voice', 'video', 'document', 'sticker'],
    };
    this.#client = new GraphClient(settings, now);
    const hint = 'If WhatsApp made them, appSecret is not the secret of the app';
    this.#refused = new RefusedCalls({ now, hint });
    this.#health = new AccountHealth(now, this.#refused);
    const report = (message: string) => this.#host?.report(message);
    this.#outgoing = new Outgoing({ client: this.#client, settings, media, wait, report });
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    this.#ending = new AbortController();
    this.#receiver = new Receiver({
      filesMs: FILES_MS,
      ...this.#options,
      host,
      client: this.#client,
      refused: this.#refused,
      signal: this.#ending.signal,
      onTaken: (message) => this.#onTaken(message),
    });
    this.#health.starting();
    this.#check();
  }

  health(): ChannelHealth {
    return this.#health.read();
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    try {
      const sent = await this.#outgoing.send(request);
      this.#health.works();
      return sent;
    } catch (error) {
      this.#noteFailure(error, request.signal);
      throw error;
    }
  }

  async react(target: DeliveryTarget, messageId: string, emoji: string | undefined): Promise<void> {
    const reaction = { message_id: messageId, emoji: emoji ?? '' };
    const message = { ...readRecipient(target.to), type: 'reaction', reaction };
    await this.#client.sendMessage(message, this.#callSignal());
  }

  /** WhatsApp shows it for 25 seconds, or until the answer. */
  async showActivity(target: DeliveryTarget, message?: { readonly id: string }): Promise<void> {
    const id = message?.id ?? this.#lastIds.get(target.to);
    if (id === undefined || !this.capabilities.canShowActivity) return;
    const typing = { typing_indicator: { type: 'text' } };
    await this.#client.sendState({ ...readMark(id), ...typing }, this.#callSignal());
  }

  async receiveHttp(request: IncomingHttp): Promise<HttpAnswer> {
    if (this.#receiver === undefined) return { status: 503, body: 'The channel has stopped.' };
    return this.#track(this.#receiver.receive(request));
  }

  async probe(signal: AbortSignal): Promise<string> {
    const { number, name } = await this.#client.describeNumber(signal);
    // Nothing of webhooks: the process that asks is not the one that takes them.
    return `WhatsApp: ${[number, name].filter(Boolean).join(', ')}`;
  }

  summary(): string {
    const { state } = this.#health.read();
    const as = this.#ownName === undefined ? '' : ` as ${this.#ownName}`;
    return `WhatsApp: ${state}${as}`;
  }

  async stop(): Promise<void> {
    this.#receiver = undefined;
    this.#ending.abort(sendFailure('The channel has stopped.', { isPermanent: false, mayHaveArrived: true }));
    await Promise.allSettled([...this.#pending, this.#checking]);
    this.#health.stopped();
  }

  #onTaken({ id, sender }: ArrivedMessage): void {
    const address = `${WHATSAPP}:${sender.number ?? sender.id}`;
    this.#lastIds.delete(address);
    this.#lastIds.set(address, id);
    if (this.#lastIds.size > MOST_REMEMBERED) this.#lastIds.delete(this.#lastIds.keys().next().value!);
    // WhatsApp waits for our answer to the webhook, not for this.
    void this.#track(this.#client.sendState(readMark(id), this.#callSignal())).catch(() => {});
  }

  #noteFailure(error: unknown, signal: AbortSignal): void {
    if (isApiFailure(error)) {
      if (error.isOfAccount) this.#health.failed(error.message);
      else this.#health.works();
      // Of other troubles of the account, such as the payment, only the next send tells whether they are over.
      if (error.apiCode === 190) this.#check();
    } else if (!signal.aborted && (error as { isPermanent?: boolean }).isPermanent === false) {
      this.#health.unreachable((error as Error).message);
      this.#check();
    }
  }

  /** Asks who we are until WhatsApp answers: what `status` says holds also while nothing is sent. */
  #check(): void {
    this.#checking ??= this.#checkUntilAnswered().finally(() => {
      this.#checking = undefined;
    });
  }

  async #checkUntilAnswered(): Promise<void> {
    const { wait, now } = this.#options;
    const { signal } = this.#ending;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const { number, name } = await this.#client.describeNumber(this.#callSignal());
        this.#ownName = name ?? number;
        this.#health.works();
        return;
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = delayAfter(failures, CHECK_RETRY);
        const { message } = error as Error;
        if (isApiFailure(error) && (error.isPermanent || error.isOfAccount)) this.#health.failed(message);
        else this.#health.unreachable(message, now() + waitMs);
        await wait(waitMs, signal).catch(() => {});
      }
    }
  }

  #callSignal(): AbortSignal {
    return AbortSignal.any([this.#ending.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }
}

function readMark(id: string) {
  return { messaging_product: 'whatsapp', status: 'read', message_id: id };
}
