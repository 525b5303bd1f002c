import type { IncomingMessage, ServerResponse } from 'node:http';
import { findOriginFault, isOwnHost } from '../admission/peer.ts';
import { type Exchange, type HttpContext, sendJson, takePlace } from './context.ts';
import { answerControlUi } from './control-ui.ts';
import { answerMetrics } from './metrics.ts';
import { answerOpenAi, isOpenAiPath } from './openai/endpoints.ts';
import { answerProbe, isProbePath } from './probes.ts';
import { answerRpc, RPC_PREFIX } from './rpc.ts';
import { answerWebhook, WEBHOOK_PREFIX } from './webhooks.ts';

/** Never throws, and always answers. */
export function answerHttp(context: HttpContext, request: IncomingMessage, response: ServerResponse): void {
  const { log } = context;
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  request.on('error', () => {});
  response.on('error', () => {});
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  route(context, { request, response, path }).catch((error: unknown) => {
    log(`${request.method} ${path} failed: ${(error as Error).stack}`);
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { ok: false, error: { message: 'internal error' } });
  });
}

async function route(context: HttpContext, exchange: Exchange): Promise<void> {
  const { request, response, path } = exchange;
  const { peer, settings } = context;
  const refuse = (status: number, message: string, headers = {}) =>
    sendJson(response, status, { ok: false, error: { message } }, headers);
  const isReading = request.method === 'GET' || request.method === 'HEAD';

  const crowded = () => refuse(503, 'too many requests', { 'retry-after': '1' });

  if (path.startsWith(WEBHOOK_PREFIX))
    return takePlace(context.webhooks, '', response) ? answerWebhook(context, exchange) : crowded();
  if (!isOwnHost(peer.host, settings.allowedHosts))
    return refuse(403, 'host not allowed (gateway.allowedHosts)');
  const { allowedOrigins } = settings;
  if (findOriginFault(peer, { isPage: false, allowedOrigins }) !== undefined)
    return refuse(403, 'origin not allowed');
  if (isProbePath(path)) {
    return isReading
      ? answerProbe(context, exchange)
      : refuse(405, 'method not allowed', { allow: 'GET, HEAD' });
  }
  if (path.startsWith(RPC_PREFIX)) {
    return request.method === 'POST'
      ? answerRpc(context, exchange)
      : refuse(405, 'method not allowed', { allow: 'POST' });
  }
  if (path === '/metrics' && settings.metrics) {
    return isReading
      ? answerMetrics(context, exchange)
      : refuse(405, 'method not allowed', { allow: 'GET, HEAD' });
  }
  if (isOpenAiPath(path, settings)) return answerOpenAi(context, exchange);
  if (isReading && settings.controlUiRoot !== undefined) {
    if (!takePlace(context.pages, '', response)) return crowded();
    return answerControlUi(context, exchange, settings.controlUiRoot);
  }
  return refuse(404, 'not found');
}
