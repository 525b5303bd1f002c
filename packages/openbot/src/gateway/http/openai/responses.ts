/** `POST /v1/responses` */
import { randomUUID } from 'node:crypto';
import { sendJson } from '../context.ts';
import { type ChosenSession, chooseSession, hasHistory } from './agents.ts';
import { type ApiCall, apiFault, readApiFault } from './api-call.ts';
import { composeMessage, readLines } from './compose-message.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { runAgent } from './run-agent.ts';

export async function answerResponse(call: ApiCall): Promise<void> {
  const { body, exchange, context } = call;
  const { model, sessionKey, isKept } = await chooseKept(call);
  const { instructions } = body;
  const lines = readLines(body.input, 'input');
  if (typeof instructions === 'string') lines.unshift({ role: 'system', text: instructions });
  const message = composeMessage(lines, { isKept });
  const id = `resp_${toId(sessionKey)}`;
  const head = { id, object: 'response', created_at: Math.floor(context.clock.now() / 1000), model };
  const item = (text: string, status = 'completed') => ({
    type: 'message',
    id: `msg_${id.slice(5, 37)}`,
    role: 'assistant',
    status,
    content: status === 'completed' ? [part(text)] : [],
  });
  if (body.stream !== true) {
    const { text, usage } = await runAgent(call, { sessionKey, message });
    sendJson(exchange.response, 200, {
      ...head,
      status: 'completed',
      output: [item(text)],
      usage: usageOf(usage),
    });
    return;
  }
  const place = { item_id: item('').id, output_index: 0, content_index: 0 };
  const begun = { ...head, status: 'in_progress', output: [] };
  let sequence = 0;
  const sendBy = (to: Pick<EventStream, 'send'>, type: string, data: object) =>
    to.send({ type, sequence_number: sequence++, ...data }, type);
  const stream = openEventStream(exchange.response, context.clock, (opened) => {
    sendBy(opened, 'response.created', { response: begun });
    sendBy(opened, 'response.in_progress', { response: begun });
    sendBy(opened, 'response.output_item.added', { output_index: 0, item: item('', 'in_progress') });
    sendBy(opened, 'response.content_part.added', { ...place, part: part('') });
  });
  const send = (type: string, data: object) => {
    // Before this event has its number.
    stream.open();
    sendBy(stream, type, data);
  };
  try {
    const onPart = (delta: string) => send('response.output_text.delta', { ...place, delta });
    const { text, usage } = await runAgent(call, { sessionKey, message, onPart });
    send('response.output_text.done', { ...place, text });
    send('response.content_part.done', { ...place, part: part(text) });
    send('response.output_item.done', { output_index: 0, item: item(text) });
    const response = { ...head, status: 'completed', output: [item(text)], usage: usageOf(usage) };
    send('response.completed', { response });
  } catch (error) {
    const fault = readApiFault(error);
    if (fault === undefined || !stream.isOpen) throw error;
    const why = { code: fault.type, message: (error as Error).message };
    send('response.failed', { response: { ...head, status: 'failed', output: [], error: why } });
  }
  stream.end();
}

/** The id of an answer holds the key of its session, so that `previous_response_id` needs no memory here. */
async function chooseKept(call: ApiCall): Promise<ChosenSession> {
  const chosen = await chooseSession(call, 'openresponses');
  const { previous_response_id: previous } = call.body;
  if (previous === undefined || previous === null || chosen.isNamed) return chosen;
  const sessionKey = fromId(previous);
  if (sessionKey === undefined) throw apiFault(400, 'Invalid `previous_response_id`');
  return { ...chosen, sessionKey, isKept: await hasHistory(call, sessionKey) };
}

function toId(sessionKey: string): string {
  return `${randomUUID().replaceAll('-', '')}_${Buffer.from(sessionKey).toString('base64url')}`;
}

function fromId(id: unknown): string | undefined {
  const held = typeof id === 'string' ? /^resp_[0-9a-f]{32}_([\w-]+)$/.exec(id)?.[1] : undefined;
  const key = held && Buffer.from(held, 'base64url').toString('utf8');
  return key && /^agent:[^:]+:openresponses(-user)?:/.test(key) ? key : undefined;
}

function part(text: string) {
  return { type: 'output_text', text, annotations: [] };
}

function usageOf({ input, output }: { readonly input: number; readonly output: number }) {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
