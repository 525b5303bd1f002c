import { Api, type ApiClientOptions, GrammyError, HttpError } from 'grammy';
import type { SendFailure, SendFailureReason } from '../contract.ts';
import { isNeverConnected } from '../http/never-connected.ts';
import { sendFailure } from '../send-failure.ts';
import { apiFetch } from './api-fetch.ts';

/** Why a call failed. Neither its message nor its cause has the token: grammY's errors have the address of the call. */
export interface CallFailure extends SendFailure {
  /** That of the answer. Undefined where none came. */
  readonly status?: number;
  /** In the words of Telegram. */
  readonly description?: string;
  /** Of a group that became a supergroup. */
  readonly movedTo?: number;
}

type Payload = Record<string, unknown>;
type RawCall = (...args: unknown[]) => Promise<unknown>;

/** Longer than any upload: callers end theirs earlier. */
const CALL_SECONDS = 900;

const WITHOUT_PARAMS = ['getMe', 'getWebhookInfo'];

/** Calls of the Bot API with the token of one bot. */
export class TelegramApi {
  readonly #token: string;
  readonly #root: string;
  readonly #raw: Readonly<Record<string, RawCall>>;

  constructor(token: string, root: string) {
    this.#token = token;
    this.#root = root;
    const fetch = apiFetch as unknown as ApiClientOptions['fetch'];
    const { raw } = new Api(token, { apiRoot: root, timeoutSeconds: CALL_SECONDS, fetch });
    this.#raw = raw as unknown as Record<string, RawCall>;
  }

  /** Rejects with a CallFailure. */
  async call<T = unknown>(method: string, payload: Payload = {}, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    try {
      // grammY's proxy gives these an empty payload of its own.
      const args = WITHOUT_PARAMS.includes(method) ? [signal] : [payload, signal];
      return (await this.#raw[method]!(...args)) as T;
    } catch (error) {
      const why = signal?.aborted && signal.reason instanceof Error ? signal.reason.message : undefined;
      throw toFailure(error, why, (text) => text.replaceAll(this.#token, '***'));
    }
  }

  /** Where a file is that `getFile` named. */
  fileUrl(path: string): string {
    return `${this.#root}/file/bot${this.#token}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof Error && 'isPermanent' in error;
}

function toFailure(error: unknown, why: string | undefined, hide: (text: string) => string): CallFailure {
  if (error instanceof GrammyError) return toRefusal(error, hide);
  const inner = error instanceof HttpError ? error.error : error;
  const { code, name, type } = (inner ?? {}) as { code?: unknown; name?: unknown; type?: unknown };
  const word = [why, code, type, name].find((value) => typeof value === 'string') ?? 'no answer';
  return sendFailure(`Telegram cannot be reached (${hide(String(word))})`, {
    isPermanent: false,
    // Without a connection nothing was said.
    mayHaveArrived: !isNeverConnected(String(code)),
  });
}

function toRefusal(
  { error_code, description = '', parameters }: GrammyError,
  hide: (text: string) => string,
): CallFailure {
  const { retry_after, migrate_to_chat_id } = parameters ?? {};
  const words = hide(String(description)).slice(0, 300);
  const { reason, isPermanent } = judge(error_code, words);
  const failure = sendFailure(`Telegram answered ${error_code ?? 'with an error'}: ${words}`, {
    isPermanent,
    // An error of the server may come behind the work.
    mayHaveArrived: !(error_code >= 400 && error_code < 500),
    ...(retry_after !== undefined && { retryAfterMs: 1000 * retry_after }),
    reason,
  });
  return Object.assign(failure, { status: error_code, description: words, movedTo: migrate_to_chat_id });
}

function judge(
  code: number,
  words: string,
): { readonly reason: SendFailureReason; readonly isPermanent: boolean } {
  if (code === 429) return { reason: 'busy', isPermanent: false };
  if (code === 403) return { reason: 'forbidden', isPermanent: true };
  if (code === 413 || (code === 400 && /too long/i.test(words)))
    return { reason: 'too long', isPermanent: true };
  if (code !== 400) return { reason: 'other', isPermanent: false };
  if (/not found|chat_id is empty|PEER_ID_INVALID|chat was deleted|TOPIC_DELETED/i.test(words))
    return { reason: 'gone', isPermanent: true };
  if (/rights|FORBIDDEN|ADMIN_REQUIRED|TOPIC_CLOSED|kicked|RESTRICTED/i.test(words))
    return { reason: 'forbidden', isPermanent: true };
  return { reason: 'other', isPermanent: true };
}
