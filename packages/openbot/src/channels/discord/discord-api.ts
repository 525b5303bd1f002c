import { REST, type RequestMethod } from '@discordjs/rest';
import { composeForm } from '../http/multipart.ts';
import { uploadMs } from '../http/try-file.ts';
import { readUser, type WireUser } from './receiving/wire-message.ts';
import { isRefusal, waitOf } from './sending/send-errors.ts';
import type { Timing } from './timing.ts';

export interface ApiRequest {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: readonly ApiFile[];
  readonly signal?: AbortSignal;
}

export interface ApiFile {
  readonly data: Uint8Array;
  readonly name: string;
  readonly contentType: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Shorter rate limits are waited for; longer ones are for the outbox. */
const WAITED_MS = 2000;
const REQUEST_MS = 15_000;
const LONGEST_MS = 2 ** 31 - 1;
const PATIENT_TRIES = 4;
/** Of a rate limit that is waited for where no outbox would try again. */
const PATIENT_MS = 30_000;

/** Calls of the HTTP API of Discord. They fail as the library says; `send-errors.ts` reads that. */
export class DiscordApi {
  readonly #rest: REST;
  readonly #token: string;
  readonly #timing: Timing;
  #self: WireUser | undefined;

  constructor({
    apiRoot,
    token,
    timing,
  }: { readonly apiRoot: string; readonly token: string; readonly timing: Timing }) {
    this.#token = token;
    this.#timing = timing;
    this.#rest = new REST({
      api: `${apiRoot}/api`,
      version: '10',
      retries: 0,
      // Each call has a limit of its own: an upload takes longer.
      timeout: LONGEST_MS,
      offset: 0,
      rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > WAITED_MS,
      userAgentAppendix: 'OpenBot',
    }).setToken(token);
  }

  async call(
    method: Method,
    path: `/${string}`,
    { query, signal, body, files = [] }: ApiRequest = {},
  ): Promise<unknown> {
    signal?.throwIfAborted();
    // The library forgets the token when it is refused once.
    this.#rest.setToken(this.#token);
    const own = new AbortController();
    const limitMs = files.length === 0 ? REQUEST_MS : uploadMs(sizeOf(files));
    const timer = setTimeout(() => own.abort(new Error('it did not answer in time')), limitMs);
    const calling = this.#rest.request({
      method: method as RequestMethod,
      fullRoute: path,
      ...(files.length === 0 ? body !== undefined && { body } : formOf(body, files)),
      ...(query !== undefined && { query: new URLSearchParams(query) }),
      signal: own.signal,
    });
    const end = () => clearTimeout(timer);
    calling.then(end, end);
    if (signal === undefined) return calling;
    // The library leaves its listeners on a signal, and does not look at it while it waits for a rate limit.
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => {
        own.abort();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
    return Promise.race([calling, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** For what no outbox tries again: waits for rate limits, and tries again what failed on the way. */
  async patiently(method: Method, path: `/${string}`, request: ApiRequest = {}): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.call(method, path, request);
      } catch (error) {
        if (isRefusal(error) || tries === PATIENT_TRIES || request.signal?.aborted) throw error;
        await this.#timing.wait(Math.min(PATIENT_MS, waitOf(error) ?? 500 * 2 ** tries), request.signal);
      }
    }
  }

  /** The account of the bot. */
  async self(signal?: AbortSignal): Promise<WireUser> {
    this.#self ??= readUser(await this.call('GET', '/users/@me', { ...(signal && { signal }) }));
    if (this.#self === undefined) throw new Error('Discord does not say which bot this is.');
    return this.#self;
  }

  get knownSelf(): WireUser | undefined {
    return this.#self;
  }

  close(): void {
    this.#rest.clearHandlerSweeper();
    this.#rest.clearHashSweeper();
  }
}

/** Bytes of all. */
export function sizeOf(files: readonly ApiFile[]): number {
  return files.reduce((sum, { data }) => sum + data.length, 0);
}

function formOf(body: unknown, files: readonly ApiFile[]) {
  const form = composeForm([
    { name: 'payload_json', value: JSON.stringify(body ?? {}), type: 'application/json' },
    ...files.map(({ data, name, contentType }, at) => ({
      name: `files[${at}]`,
      value: data,
      filename: name,
      type: contentType,
    })),
  ]);
  return { body: form.body, passThroughBody: true, headers: { 'Content-Type': form.contentType } };
}
