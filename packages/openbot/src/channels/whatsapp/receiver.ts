import { mediaFields } from '../../media/media-fields.ts';
import type { ChannelHost, ChannelMedia, HttpAnswer, IncomingHttp } from '../contract.ts';
import type { RefusedCalls } from '../http/refused-calls.ts';
import { isSameSecret, isSignedBy } from '../http/signatures.ts';
import { describeApiError, readRetryDelay } from './api-failure.ts';
import { readCallbackData } from './callback-data.ts';
import type { GraphClient } from './graph-client.ts';
import { type RemoteFile, readContent } from './message-content.ts';
import { messageContext } from './message-context.ts';
import { type ArrivedMessage, type ArrivedStatus, readWebhook } from './read-webhook.ts';
import type { WhatsAppSettings } from './settings.ts';
import { takeFile } from './take-file.ts';
import { AS_TEMPLATE } from './template-message.ts';

export interface ReceiverOptions {
  readonly accountId: string;
  readonly settings: WhatsAppSettings;
  readonly host: ChannelHost;
  readonly client: GraphClient;
  readonly refused: RefusedCalls;
  readonly media: ChannelMedia;
  /** How long the answer to a webhook waits for its files, ms. */
  readonly filesMs: number;
  /** Ends what is being taken. */
  readonly signal: AbortSignal;
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** A message of a person who is heard is kept. Not called where read marks are off. */
  onTaken(message: ArrivedMessage): void;
}

const DAY_MS = 24 * 3_600_000;
/** WhatsApp repeats a webhook for seven days. What is older is a recording that someone plays again. */
const OLDEST_MS = 8 * DAY_MS;

const MOST_FAILED = 1000;

/** Takes what WhatsApp posts. */
export class Receiver {
  readonly #options: ReceiverOptions;
  /** Messages that are being taken, by id: a repeat that comes meanwhile waits for the same end. */
  readonly #taking = new Map<string, Promise<void>>();
  /** The last message of each conversation that is being taken. */
  readonly #tails = new Map<string, Promise<void>>();
  readonly #reported = new Set<string>();
  /** Messages that WhatsApp could not deliver. */
  readonly #failedIds = new Set<string>();

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  async receive({ method, path, headers, body }: IncomingHttp): Promise<HttpAnswer> {
    if (method === 'GET') return this.#confirm(new URL(path, 'http://localhost').searchParams);
    if (method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' } };
    const { settings, signal } = this.#options;
    if (!isSignedBy(settings.appSecret, headers['x-hub-signature-256'], body)) {
      const why = 'The signature is missing or wrong.';
      const report = this.#options.refused.refuse(why);
      if (report !== undefined) this.#options.host.report(report);
      return { status: 401, body: why };
    }
    this.#options.refused.forget();
    const parsed = parse(body);
    if (parsed === undefined) return { status: 400, body: 'The body is not JSON.' };
    const { messages, statuses, notices } = readWebhook(parsed, settings.phoneNumberId);
    for (const notice of notices) this.#reportOnce(notice);
    const inTime = AbortSignal.timeout(this.#options.filesMs);
    const results = await Promise.allSettled([
      ...messages.map((message) => this.#take(message, inTime)),
      ...statuses.map((status) => this.#takeStatus(status)),
    ]);
    if (signal.aborted) return { status: 503, body: 'The channel has stopped.' };
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return { status: 200, body: 'OK' };
    this.#options.host.report(`A message was not kept, and WhatsApp will send it again: ${failed.reason}`);
    return { status: 500, body: 'Not all of it was kept.' };
  }

  /** What WhatsApp asks when the address is entered in the app dashboard. */
  #confirm(query: URLSearchParams): HttpAnswer {
    const challenge = query.get('hub.challenge') ?? '';
    const isRight =
      query.get('hub.mode') === 'subscribe' &&
      isSameSecret(query.get('hub.verify_token') ?? '', this.#options.settings.verifyToken);
    if (!isRight || !/^[\w.-]{1,200}$/.test(challenge)) return { status: 403, body: 'The token is wrong.' };
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
    return { status: 200, headers, body: challenge };
  }

  #take(message: ArrivedMessage, inTime: AbortSignal): Promise<void> {
    const { id, sender } = message;
    const former = this.#taking.get(id);
    if (former !== undefined) return former;
    // Files are fetched side by side, and kept one after the other: a text does not overtake the picture before it.
    const reading = this.#read(message, inTime);
    reading.catch(() => {});
    const before = this.#tails.get(sender.id) ?? Promise.resolve();
    const taking = before
      .catch(() => {})
      .then(() => reading)
      .then((keep) => keep?.())
      .finally(() => {
        this.#taking.delete(id);
        if (this.#tails.get(sender.id) === taking) this.#tails.delete(sender.id);
      });
    this.#taking.set(id, taking);
    this.#tails.set(sender.id, taking);
    return taking;
  }

  /** Resolves with what keeps it, once those before it are kept. */
  async #read(message: ArrivedMessage, inTime: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { accountId, host, signal, settings, now, onTaken } = this.#options;
    signal.throwIfAborted();
    if (message.timestamp !== undefined && now() - message.timestamp > OLDEST_MS) {
      this.#reportOnce('WhatsApp sent a message that is older than a week. It was ignored.');
      return undefined;
    }
    const content = readContent(message);
    if (content === undefined) return undefined;
    const ctx = messageContext(message, content, accountId);
    const { file } = content;
    const isAsked = file !== undefined || settings.sendReadReceipts;
    const mayTalk = isAsked && (await host.mayTalk(ctx));
    const media = file !== undefined && mayTalk ? await this.#takeMedia(file, inTime) : {};
    const kept = { conversationId: message.sender.id, messageId: message.id, ctx: { ...ctx, ...media } };
    return async () => {
      signal.throwIfAborted();
      const { isNew } = await host.accept(kept);
      if (isNew && mayTalk) onTaken(message);
    };
  }

  async #takeMedia(file: RemoteFile, inTime: AbortSignal) {
    const { client, media, signal, wait, host } = this.#options;
    const taken = await takeFile(file, { client, media, signal, inTime, wait });
    if ('path' in taken) return mediaFields([taken], []);
    host.report(`A file of a message was not taken: ${taken.reason}`);
    return mediaFields([], [taken]);
  }

  async #takeStatus({ id, state, callbackData, error }: ArrivedStatus): Promise<void> {
    const { host, settings, signal } = this.#options;
    signal.throwIfAborted();
    // Statuses come twice and out of order: what failed has not arrived, and may have been sent anew since.
    if (this.#failedIds.has(id)) return;
    const part = callbackData === undefined ? undefined : readCallbackData(callbackData);
    const receipt = {
      id,
      state,
      ...(part && { key: part.key, part: { index: part.index, count: part.count } }),
    };
    if (state !== 'failed') return host.receipt(receipt);
    const words = describeApiError(error ?? {});
    // WhatsApp found only now that it was outside of the 24 hours.
    const isClosed = Number(error?.code) === 131047 && (part === undefined || part.index === 0);
    const { template } = settings;
    if (template === undefined || !isClosed) {
      await host.receipt({ ...receipt, error: words, retryAfterMs: readRetryDelay(error ?? {}) });
    } else {
      const what = `${words}. The template ${template.name} is sent instead`;
      await host.receipt({ ...receipt, error: what, instead: AS_TEMPLATE });
    }
    this.#failedIds.add(id);
    if (this.#failedIds.size > MOST_FAILED) this.#failedIds.delete(this.#failedIds.values().next().value!);
  }

  #reportOnce(message: string): void {
    if (this.#reported.has(message) || this.#reported.size >= 100) return;
    this.#reported.add(message);
    this.#options.host.report(message);
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
