import type { ServerResponse } from 'node:http';
import type { ChatAnswer, ChatRefusal, ChatRequest, ChatToolCall } from './chat-format.ts';
import { halves, sendJson } from './loopback-server.ts';

/** Answers a request, streamed where it asks for that; `id` is unlike all others of this server. */
export function sendAnswer(
  response: ServerResponse,
  request: ChatRequest,
  answer: ChatAnswer,
  id: string,
): void {
  if (request.stream === true) streamAnswer(response, request, answer, id);
  else sendWhole(response, request, answer, id);
}

export function sendRefusal(response: ServerResponse, { status, message }: ChatRefusal): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

function sendWhole(response: ServerResponse, request: ChatRequest, answer: ChatAnswer, id: string): void {
  const calls = nameCalls(answer, id);
  const message = {
    role: 'assistant',
    content: answer.text ?? null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  sendJson(response, 200, {
    ...frame(request, id, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
    usage: usageOf(request, answer),
  });
}

/** Text and arguments come in two pieces each. */
function streamAnswer(response: ServerResponse, request: ChatRequest, answer: ChatAnswer, id: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (fields: object): void => {
    const chunk = { ...frame(request, id, 'chat.completion.chunk'), ...fields };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const delta = (fields: object): void =>
    send({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
  delta({ role: 'assistant', content: '' });
  for (const content of halves(answer.text ?? '')) delta({ content });
  for (const [index, call] of nameCalls(answer, id).entries()) {
    const { name, arguments: whole } = call.function;
    delta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of halves(whole)) delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] });
  if (request.stream_options?.include_usage === true) {
    send({ choices: [], usage: usageOf(request, answer) });
  }
  response.end('data: [DONE]\n\n');
}

function frame(request: ChatRequest, id: string, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(Date.now() / 1000), model: request.model };
}

function nameCalls(answer: ChatAnswer, id: string): ChatToolCall[] {
  return (answer.calls ?? []).map((call, place) => ({
    id: `call_${id}_${place}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

function finishOf(answer: ChatAnswer): string {
  return (answer.calls ?? []).length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(request: ChatRequest, answer: ChatAnswer): object {
  const prompt = answer.promptTokens ?? Math.ceil(JSON.stringify(request.messages).length / 4);
  const completion = 10 + Math.ceil(JSON.stringify([answer.text, answer.calls]).length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
