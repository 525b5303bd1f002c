/** `POST /v1/chat/completions` */
import { randomUUID } from 'node:crypto';
import { sendJson } from '../context.ts';
import { chooseSession } from './agents.ts';
import { type ApiCall, readApiFault } from './api-call.ts';
import { composeMessage, readLines } from './compose-message.ts';
import { openEventStream } from './event-stream.ts';
import { type AgentAnswer, runAgent } from './run-agent.ts';

export async function answerChatCompletion(call: ApiCall): Promise<void> {
  const { body, exchange, context } = call;
  const { model, sessionKey, isKept } = await chooseSession(call, 'openai');
  const message = composeMessage(readLines(body.messages, 'messages'), { isKept });
  const head = { id: `chatcmpl_${randomUUID()}`, created: Math.floor(context.clock.now() / 1000), model };
  if (body.stream !== true) {
    const answer = await runAgent(call, { sessionKey, message });
    const choice = { index: 0, message: { role: 'assistant', content: answer.text }, finish_reason: 'stop' };
    sendJson(exchange.response, 200, {
      ...head,
      object: 'chat.completion',
      choices: [choice],
      usage: usageOf(answer),
    });
    return;
  }
  const partOf = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const stream = openEventStream(exchange.response, context.clock, ({ send }) =>
    send(partOf({ role: 'assistant' })),
  );
  try {
    const onPart = (content: string) => stream.send(partOf({ content }));
    const answer = await runAgent(call, { sessionKey, message, onPart });
    stream.send(partOf({}, 'stop'));
    const { include_usage } = (body.stream_options ?? {}) as { include_usage?: unknown };
    if (include_usage === true)
      stream.send({ ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(answer) });
  } catch (error) {
    const fault = readApiFault(error);
    if (fault === undefined || !stream.isOpen) throw error;
    stream.send(fault.body);
  }
  stream.end();
}

function usageOf({ usage: { input, output } }: AgentAnswer) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
