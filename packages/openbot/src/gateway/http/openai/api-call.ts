import { OpenBotError } from '@openbot/sessions';
import type { Caller } from '../../../gateway-protocol/method.ts';
import type { WireError } from '../../../gateway-protocol/wire-errors.ts';
import type { Exchange, HttpContext } from '../context.ts';

export interface ApiCall {
  readonly context: HttpContext;
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly body: Readonly<Record<string, unknown>>;
}

interface FaultFacts {
  readonly type?: string;
  readonly retryAfterMs?: number;
}

/** Why a call has no answer. */
export function apiFault(
  status: number,
  message: string,
  { type = 'invalid_request_error', retryAfterMs }: FaultFacts = {},
): OpenBotError {
  return new OpenBotError('GATEWAY_REFUSED', message, { details: { http: { status, type, retryAfterMs } } });
}

export interface ApiFault {
  readonly status: number;
  readonly type: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer for a fault, in the form that programs of OpenAI's API read; undefined for another failure. */
export function readApiFault(error: unknown): ApiFault | undefined {
  const http = error instanceof OpenBotError ? error.details?.http : undefined;
  if (http === undefined) return undefined;
  const { status, type, retryAfterMs } = http as { status: number; type: string; retryAfterMs?: number };
  return {
    status,
    type,
    body: { error: { message: (error as OpenBotError).message, type } },
    headers: retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
  };
}

function faultOf({ code, message, retryAfterMs }: WireError): OpenBotError {
  if (code === 'FORBIDDEN' || code === 'NOT_PAIRED')
    return apiFault(403, message, { type: 'permission_error' });
  return code === 'UNAVAILABLE'
    ? apiFault(503, message, { type: 'api_error', retryAfterMs })
    : apiFault(400, message);
}

/** Calls a method for the caller. Throws a fault where it is refused. */
export async function callMethod(
  { context, caller }: Pick<ApiCall, 'context' | 'caller'>,
  method: string,
  params: object,
  {
    signal = new AbortController().signal,
    respondFirst = () => {},
  }: { readonly signal?: AbortSignal; respondFirst?(payload: unknown): void } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { dispatcher, peer } = context;
  const outcome = await dispatcher.call({
    method,
    params,
    caller,
    address: peer.address,
    signal,
    respondFirst,
  });
  if (!outcome.ok) throw faultOf(outcome.error);
  return (outcome.payload ?? {}) as Readonly<Record<string, unknown>>;
}
