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

/** Why a call has no answer. */
export function apiFault(status: number, message: string, type = 'invalid_request_error'): OpenBotError {
  return new OpenBotError('GATEWAY_REFUSED', message, { details: { http: { status, type } } });
}

/** The answer for a fault, in the form that programs of OpenAI's API read; undefined for another failure. */
export function readApiFault(error: unknown): { status: number; type: string; body: object } | undefined {
  const http = error instanceof OpenBotError ? error.details?.http : undefined;
  if (http === undefined) return undefined;
  const { status, type } = http as { status: number; type: string };
  return { status, type, body: { error: { message: (error as OpenBotError).message, type } } };
}

function faultOf({ code, message }: WireError): OpenBotError {
  if (code === 'FORBIDDEN' || code === 'NOT_PAIRED') return apiFault(403, message, 'permission_error');
  return code === 'UNAVAILABLE' ? apiFault(503, message, 'api_error') : apiFault(400, message);
}

/** Calls a method for the caller. Throws a fault where it is refused. */
export async function callMethod(
  { context, caller }: Pick<ApiCall, 'context' | 'caller'>,
  method: string,
  params: object,
  signal: AbortSignal = new AbortController().signal,
): Promise<Readonly<Record<string, unknown>>> {
  const { dispatcher, peer } = context;
  const outcome = await dispatcher.call({
    method,
    params,
    caller,
    address: peer.address,
    signal,
    respondFirst: () => {},
  });
  if (!outcome.ok) throw faultOf(outcome.error);
  return (outcome.payload ?? {}) as Readonly<Record<string, unknown>>;
}
