import type { AssistantMessage } from '@earendil-works/pi-ai';
import type { ModelFailure, RunEnd } from '../contract.ts';
import { failureOfStatus, isTransient } from '../failure-of-status.ts';

/** What HTTP said about the last request to the provider. pi itself keeps the text of an error only. */
export interface Exchange {
  status?: number;
  retryAfterMs?: number;
  /** No answer came at all. */
  isUnreachable?: boolean;
  /** It was given up because the answer had not begun after this time. */
  silentMs?: number;
}

/**
 * A `fetch` for one request that writes down how the exchange went. After `firstByteMs` without a byte of the answer it
 * fails, and so does every repetition, without being sent.
 */
export function watchedFetch(
  exchange: Exchange,
  { firstByteMs, now = Date.now }: { readonly firstByteMs: number; readonly now?: () => number },
): typeof fetch {
  const silence = new AbortController();
  return async (input, init) => {
    delete exchange.status;
    delete exchange.retryAfterMs;
    delete exchange.isUnreachable;
    delete exchange.silentMs;
    const signals = [init?.signal, silence.signal].filter((signal) => signal instanceof AbortSignal);
    const noteFailure = () => {
      exchange.isUnreachable = true;
      if (silence.signal.aborted) exchange.silentMs = firstByteMs;
    };
    const timer = setTimeout(() => {
      silence.abort(new Error('The answer did not begin in time'));
      noteFailure();
    }, firstByteMs);
    const stopWaiting = () => clearTimeout(timer);
    init?.signal?.addEventListener('abort', stopWaiting, { once: true });
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      exchange.status = response.status;
      exchange.retryAfterMs = retryAfterOf(response.headers, now());
      if (response.ok && response.body !== null) return onFirstByte(response, response.body, stopWaiting);
      stopWaiting();
      return response;
    } catch (error) {
      stopWaiting();
      noteFailure();
      throw error;
    }
  };
}

/** The same response. `call` is called when the first part of its body has come, or none will. */
function onFirstByte(response: Response, body: ReadableStream<Uint8Array>, call: () => void): Response {
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      call();
      controller.enqueue(part);
    },
    flush: call,
    cancel: call,
  });
  return new Response(body.pipeThrough(watched), response);
}

function retryAfterOf(headers: Headers, now: number): number | undefined {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (exact >= 0) return exact;
  const text = headers.get('retry-after') ?? '';
  const ms = /^\s*\d/.test(text) ? Number.parseFloat(text) * 1000 : Date.parse(text) - now;
  return ms >= 0 ? ms : undefined;
}

/** Of errors whose status is not known: those inside of a stream, and those of providers with a transport of their own. */
const BY_TEXT: readonly (readonly [RegExp, ModelFailure])[] = [
  [
    /insufficient_quota|billing|credit balance|out of (?:credit|budget)|payment required|quota exceeded/i,
    'exhausted',
  ],
  [/authentication_error|permission_error|invalid[ _](?:x-)?api[ _-]key|unauthori[sz]ed/i, 'unauthorised'],
  [/rate[_ -]?limit|too many requests|throttl|resource_?exhausted/i, 'rate-limited'],
  [/overloaded_error|"?overloaded"?\s*$|service[_ -]?unavailable|high demand|\b(?:503|529)\b/i, 'overloaded'],
  [
    /fetch failed|connection error|network|socket|terminated|ECONN|ENOTFOUND|EAI_AGAIN|stream ended|ended without|timed? ?out/i,
    'unreachable',
  ],
];

const HINTS: Readonly<Partial<Record<ModelFailure, string>>> = {
  exhausted: 'The account has no credit left. Add some, or choose another model with --model.',
  unreachable: 'Check the network and the address of the provider, or try again later.',
};

/** An address that does not know what newer Claude models are asked about thinking. A refused block names the field too. */
const REFUSES_TO_DROP = /^(?!.*Invalid `?signature).*(?:block_binding|thinking-binding-controls)/s;

/** The end of a run whose last message failed. */
export function describeFailure(
  message: AssistantMessage,
  exchange: Exchange,
  {
    isOverflow,
    name,
    keyHint,
  }: { readonly isOverflow: boolean; readonly name: string; readonly keyHint: string },
): RunEnd {
  const { silentMs } = exchange;
  const text =
    silentMs === undefined
      ? readable(message.errorMessage)
      : `The answer did not begin within ${silentMs / 1000} s`;
  if (isOverflow) return { type: 'end', reason: 'overflow', error: text };
  const failure = failureOf(message.errorMessage ?? '', exchange);
  const refusesToDrop = exchange.status === 400 && REFUSES_TO_DROP.test(text);
  return {
    type: 'end',
    reason: 'error',
    error: `${name}: ${text}`,
    hint: refusesToDrop
      ? `Set models.providers.${message.provider}.dropStaleThinking to false.`
      : failure === 'unauthorised'
        ? keyHint
        : failure && HINTS[failure],
    isTransient: isTransient(failure),
    failure,
    retryAfterMs: failure === undefined ? undefined : exchange.retryAfterMs,
  };
}

function failureOf(text: string, { status, isUnreachable }: Exchange): ModelFailure | undefined {
  if (isUnreachable) return 'unreachable';
  if (status !== undefined && status >= 400) {
    // Some providers say with 429, or 400, that an account has no credit.
    const [[noCredit]] = BY_TEXT as [[RegExp, ModelFailure]];
    return noCredit.test(text) ? 'exhausted' : failureOfStatus(status);
  }
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}

/** Bodies of errors are JSON with one sentence for people in it. */
function readable(text = 'The provider gave no reason'): string {
  const [, before = '', json] = /^([^{]*)(\{.*\})\s*$/s.exec(text) ?? [];
  if (json === undefined) return text;
  try {
    const { error, message } = JSON.parse(json);
    const said = error?.message ?? message ?? (typeof error === 'string' ? error : undefined);
    return typeof said === 'string' && said !== '' ? `${before.replace(/:?\s*$/, ' ')}${said}`.trim() : text;
  } catch {
    return text;
  }
}
