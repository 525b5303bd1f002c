/** `POST /rpc/<method>`: the methods of the WebSocket, one in each request. The body has the params. */
import { LARGEST_FRAME } from '../../gateway-protocol/limits.ts';
import type { WireCode, WireError } from '../../gateway-protocol/wire-errors.ts';
import { nameSender } from '../shares.ts';
import { authenticate } from './authenticate.ts';
import { type Exchange, type HttpContext, sendJson, sendLastJson, takePlace } from './context.ts';
import { readJsonBody } from './read-body.ts';

export const RPC_PREFIX = '/rpc/';

const STATUS: Readonly<Record<WireCode, number>> = {
  INVALID_REQUEST: 400,
  FORBIDDEN: 403,
  NOT_PAIRED: 403,
  APPROVAL_NOT_FOUND: 404,
  UNAVAILABLE: 503,
};

const CROWDED: WireError = {
  code: 'UNAVAILABLE',
  message: 'too much is being read',
  retryable: true,
  retryAfterMs: 1_000,
};

const TOO_MANY: WireError = { ...CROWDED, message: 'too many requests under way with this token' };

export async function answerRpc(context: HttpContext, { request, response, path }: Exchange): Promise<void> {
  const fail = (status: number, error: WireError, send = sendJson) => {
    const { retryAfterMs } = error;
    const retry =
      retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
    send(response, status, { ok: false, error }, retry);
  };
  const who = authenticate(context, request);
  if (who.kind === 'refused') {
    const { status, message, retryAfterMs } = who;
    fail(status, { code: 'INVALID_REQUEST', message, retryAfterMs });
    return;
  }
  const sender = nameSender(who, context.peer.address);
  if (!takePlace(context.requests, sender, response)) return fail(503, TOO_MANY, sendLastJson);
  const part = context.incoming.open(sender);
  const body = await readJsonBody(request, { mostBytes: LARGEST_FRAME, part });
  switch (body.kind) {
    case 'cut off':
      return;
    case 'too large': {
      const message = `the body has more than ${LARGEST_FRAME} bytes`;
      return fail(413, { code: 'INVALID_REQUEST', message }, sendLastJson);
    }
    case 'crowded':
      return fail(503, CROWDED, sendLastJson);
    case 'no json':
      return fail(400, { code: 'INVALID_REQUEST', message: 'the body is not JSON' });
  }
  const method = decodeName(path.slice(RPC_PREFIX.length));
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const outcome = await context.dispatcher.call({
    method,
    params: body.value,
    caller: who.caller,
    address: context.peer.address,
    signal: gone.signal,
    respondFirst: () => {},
  });
  if (gone.signal.aborted) return;
  if (outcome.ok) sendJson(response, 200, { ok: true, payload: outcome.payload ?? {} });
  else {
    const { code } = outcome.error;
    const isUnknown = code === 'INVALID_REQUEST' && !context.dispatcher.has(method);
    fail(isUnknown ? 404 : STATUS[code], outcome.error);
  }
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
