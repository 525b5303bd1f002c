import type { AssistantMessage } from '@earendil-works/pi-ai';
import type { ModelFailure, RunEnd } from '../contract.ts';
import { failureOfStatus, isTransient } from '../failure-of-status.ts';

/** What HTTP said about the last request to the provider. pi itself keeps the text of an error only. */
export interface Exchange {
  status?: number;
  retryAfterMs?: number;
  /** No answer came at all. */
  isUnreachable?: boolean;
}

/** A `fetch` that writes down how the exchange went. */
export function watchedFetch(exchange: Exchange, now: () => number = Date.now): typeof fetch {
  return async (input, init) => {
    delete exchange.status;
    delete exchange.retryAfterMs;
    delete exchange.isUnreachable;
    try {
      const response = await fetch(input, init);
      exchange.status = response.status;
      exchange.retryAfterMs = retryAfterOf(response.headers, now());
      return response;
    } catch (error) {
      exchange.isUnreachable = true;
      throw error;
    }
  };
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
  const text = readable(message.errorMessage);
  if (isOverflow) return { type: 'end', reason: 'overflow', error: text };
  const failure = failureOf(message.errorMessage ?? '', exchange);
  return {
    type: 'end',
    reason: 'error',
    error: `${name}: ${text}`,
    hint: failure === 'unauthorised' ? keyHint : failure && HINTS[failure],
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
