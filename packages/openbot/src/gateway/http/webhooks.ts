/**
 * `/channels/<name>/<account>[/…]`: networks that call us. Whoever calls needs no token, because the channel checks the
 * signature of its network; the names of hosts and pages say nothing here, where a caller has no rights to misuse.
 */
import type { HttpAnswer } from '../../channels/contract.ts';
import { isLoopback } from '../admission/peer.ts';
import { nameSender } from '../shares.ts';
import { type Exchange, type HttpContext, sendJson, sendLastJson } from './context.ts';
import { readBody } from './read-body.ts';

export const WEBHOOK_PREFIX = '/channels/';

/** Answers that count as a wrong signature. */
const REFUSALS: readonly number[] = [401, 403];

export async function answerWebhook(context: HttpContext, exchange: Exchange): Promise<void> {
  const { request, response, path } = exchange;
  const { settings, webhookFailures, figures } = context;
  const refuse = (status: number, message: string, headers = {}, send = sendJson) =>
    send(response, status, { ok: false, error: { message } }, headers);
  const place = readPlace(path);
  if (place === undefined || context.receiveWebhook === undefined) return refuse(404, 'not found');
  if (request.method !== 'GET' && request.method !== 'POST')
    return refuse(405, 'method not allowed', { allow: 'GET, POST' });
  if (context.failing().some((one) => one === 'startup' || one === 'shutdown'))
    return refuse(503, 'not ready', { 'retry-after': '5' });
  const { peer } = context;
  // All programs of this machine have one address, and all clients of a proxy that does not name them: one would lock out the others.
  const canBeLocked = !isLoopback(peer.address) && !peer.isProxy;
  const lockedMs = canBeLocked ? webhookFailures.lockedFor(peer) : undefined;
  if (lockedMs !== undefined)
    return refuse(429, 'too many requests with a wrong signature', {
      'retry-after': String(Math.ceil(lockedMs / 1000)),
    });
  const part = context.incoming.open(nameSender({}, peer.address));
  const body = await readBody(request, { mostBytes: settings.webhookBytes, part });
  if (body === 'cut off') return;
  if (body === 'too large')
    return refuse(413, `the body has more than ${settings.webhookBytes} bytes`, {}, sendLastJson);
  if (body === 'crowded') return refuse(503, 'too much is being read', { 'retry-after': '1' }, sendLastJson);
  const query = (request.url ?? '').slice(path.length);
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
  const { channel, accountId, rest } = place;
  const answer = await context.receiveWebhook({
    channel,
    accountId,
    method: request.method,
    path: `${rest}${query}`,
    headers,
    body,
  });
  if (canBeLocked && REFUSALS.includes(answer.status)) webhookFailures.add(peer);
  figures.countRequest('webhook', answer.status < 400 ? 'ok' : 'refused');
  sendAnswer(exchange, answer);
}

function sendAnswer({ response }: Exchange, { status, headers = {}, body = '' }: HttpAnswer): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
    'content-length': length,
  });
  response.end(body);
}

/** Undefined for a path that names no account. */
function readPlace(path: string): { channel: string; accountId: string; rest: string } | undefined {
  const [, name, account, rest = ''] =
    /^\/channels\/([a-z0-9_-]{1,64})\/([a-z0-9_-]{1,64})(\/.*)?$/i.exec(path) ?? [];
  if (name === undefined || account === undefined) return undefined;
  return { channel: name.toLowerCase(), accountId: account.toLowerCase(), rest: rest === '' ? '/' : rest };
}
