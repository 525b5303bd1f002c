/** The part of OpenAI's API that programs use to talk to a model. Here an agent answers. */

import type { GatewaySettings } from '../../settings.ts';
import { nameSender, type Share } from '../../shares.ts';
import { authenticate } from '../authenticate.ts';
import { type Exchange, type HttpContext, sendJson, sendLastJson, takePlace } from '../context.ts';
import { readJsonBody } from '../read-body.ts';
import { listAgents } from './agents.ts';
import { type ApiCall, apiFault, readApiFault } from './api-call.ts';
import { answerChatCompletion } from './chat-completions.ts';
import { answerResponse } from './responses.ts';

const LARGEST_BODY = 20 * 1024 * 1024;
const MODELS = '/v1/models';

type Handler = (call: ApiCall) => Promise<void>;

export function isOpenAiPath(path: string, settings: GatewaySettings): boolean {
  if (path === MODELS || path.startsWith(`${MODELS}/`)) return settings.chatCompletions || settings.responses;
  return handlerOf(path, settings) !== undefined;
}

function handlerOf(path: string, { chatCompletions, responses }: GatewaySettings): Handler | undefined {
  if (path === '/v1/chat/completions') return chatCompletions ? answerChatCompletion : undefined;
  return path === '/v1/responses' && responses ? answerResponse : undefined;
}

export async function answerOpenAi(context: HttpContext, exchange: Exchange): Promise<void> {
  const { request, response, path } = exchange;
  try {
    const handler = handlerOf(path, context.settings);
    const allowed = handler === undefined ? 'GET' : 'POST';
    if (request.method !== allowed) throw apiFault(405, `use ${allowed}`);
    const who = authenticate(context, request);
    if (who.kind === 'refused')
      throw apiFault(who.status, who.message, {
        type: 'authentication_error',
        retryAfterMs: who.retryAfterMs,
      });
    const sender = nameSender(who, context.peer.address);
    if (!takePlace(context.requests, sender, response))
      throw apiFault(503, 'too many requests under way with this token', {
        type: 'api_error',
        retryAfterMs: 1_000,
      });
    const call = { context, exchange, caller: who.caller };
    if (handler === undefined) await answerModels(call);
    else {
      const part = context.incoming.open(sender);
      await handler({ ...call, body: await readObject(exchange, part) });
    }
  } catch (error) {
    const fault = readApiFault(error);
    if (fault === undefined) throw error;
    const send = request.complete ? sendJson : sendLastJson;
    if (!response.headersSent && !response.destroyed) send(response, fault.status, fault.body, fault.headers);
  }
}

async function readObject({ request }: Exchange, part: Share): Promise<Readonly<Record<string, unknown>>> {
  const body = await readJsonBody(request, { mostBytes: LARGEST_BODY, part });
  if (body.kind === 'too large') throw apiFault(413, `the body has more than ${LARGEST_BODY} bytes`);
  if (body.kind === 'crowded')
    throw apiFault(503, 'too much is being read', { type: 'api_error', retryAfterMs: 1_000 });
  if (body.kind !== 'json' || typeof body.value !== 'object' || body.value === null)
    throw apiFault(400, 'the body is not a JSON object');
  return body.value as Readonly<Record<string, unknown>>;
}

/** `openclaw` is the default agent, `openclaw/<id>` a certain one. */
async function answerModels(call: Omit<ApiCall, 'body'>): Promise<void> {
  const { agents } = await listAgents(call);
  const data = ['openclaw', ...agents.map((id) => `openclaw/${id}`)].map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'openbot',
  }));
  const { path, response } = call.exchange;
  if (path === MODELS) {
    sendJson(response, 200, { object: 'list', data });
    return;
  }
  const wanted = path.slice(MODELS.length + 1);
  const found = data.find(({ id }) => id === wanted || encodeURIComponent(id) === wanted);
  if (found === undefined) throw apiFault(404, `no such model: ${wanted}`);
  sendJson(response, 200, found);
}
