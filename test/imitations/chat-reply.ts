import type { ServerResponse } from 'node:http';
import type { ChatAnswer, ChatRefusal, ChatRequest, ChatToolCall } from './chat-format.ts';
import { breakOff, halves, sendJson, tokensOf } from './loopback-server.ts';

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

export function sendRefusal(response: ServerResponse, refusal: ChatRefusal): void {
  sendJson(response, refusal.status, errorOf(refusal), refusal.headers);
}

function errorOf({ message, code = undefined }: ChatRefusal): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: code ?? null } };
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
  for (const thought of halves(answer.thinking ?? '')) delta({ reasoning_content: thought });
  for (const content of halves(answer.text ?? '')) delta({ content });
  for (const [index, call] of nameCalls(answer, id).entries()) {
    const { name, arguments: whole } = call.function;
    delta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of halves(whole)) delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  if (answer.breaksOff !== undefined) {
    breakOff(response, answer.breaksOff, (refusal) =>
      response.write(`data: ${JSON.stringify(errorOf(refusal))}\n\n`),
    );
    return;
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
    id: call.id ?? `call_${id}_${place}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

function finishOf(answer: ChatAnswer): string {
  return (answer.calls ?? []).length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(request: ChatRequest, answer: ChatAnswer): object {
  const prompt = answer.promptTokens ?? tokensOf(request.messages);
  const completion = 10 + tokensOf([answer.text, answer.calls]);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
