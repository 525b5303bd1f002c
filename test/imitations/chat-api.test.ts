import { afterEach, describe, expect, test } from 'vitest';
import { type ChatApi, type ChatApiOptions, startChatApi } from './chat-api.ts';
import type { ChatMessage } from './chat-format.ts';
import { findChatFault } from './chat-history.ts';

let api: ChatApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(reply: ChatApiOptions['reply'], more: Partial<ChatApiOptions> = {}): Promise<ChatApi> {
  api = await startChatApi({ reply, ...more });
  return api;
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
}

const ask = (text: string) => ({ model: 'm', messages: [{ role: 'user', content: text }] });

describe('the imitation of chat completions', () => {
  test('answers in one piece and remembers what it was asked', async () => {
    const { url, conversations } = await start(({ messages }) => ({ text: `${messages.length} heard` }));
    expect(await (await post(url, ask('first'))).json()).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      choices: [{ message: { role: 'assistant', content: '1 heard' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
    expect(conversations.map(({ messages }) => messages[0]?.content)).toEqual(['first']);
  });

  test('streams text and calls in pieces that join to the whole, with usage where it is asked for', async () => {
    const calls = [
      { name: 'read', arguments: { path: 'a.txt' } },
      { name: 'exec', arguments: { command: 'echo "x"' } },
    ];
    const { url } = await start(() => ({ text: 'some words', calls, promptTokens: 4242 }));
    const body = { ...ask('go'), stream: true, stream_options: { include_usage: true } };
    const lines = (await (await post(url, body)).text()).split('\n\n').filter((line) => line !== '');
    expect(lines.pop()).toBe('data: [DONE]');
    const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)) as Chunk);
    interface Chunk {
      choices: { delta: Delta; finish_reason: string | null }[];
      usage?: { prompt_tokens: number };
    }
    interface Delta {
      content?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    }
    const deltas = chunks.flatMap((chunk) => chunk.choices).map((choice) => choice.delta);
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('some words');
    for (const [index, call] of calls.entries()) {
      const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []).filter((one) => one.index === index);
      expect(pieces[0]).toMatchObject({
        id: expect.stringContaining('call_'),
        function: { name: call.name },
      });
      expect(JSON.parse(pieces.map((piece) => piece.function.arguments).join(''))).toEqual(call.arguments);
    }
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(chunks.at(-1)?.usage?.prompt_tokens).toBe(4242);
  });

  test('refuses another key and what is longer than its window', async () => {
    const { url } = await start(() => ({ text: 'ok' }), { key: 'right', window: 20 });
    const send = (key: string, text: string) =>
      fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(ask(text)),
      });
    expect((await send('wrong', 'go')).status).toBe(401);
    expect((await send('right', 'go')).status).toBe(200);
    const tooLong = await send('right', 'word '.repeat(40));
    expect(await tooLong.json()).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });

  test('streams thinking, and breaks off', async () => {
    const { url } = await start(({ messages }) => ({
      thinking: 'hm, hm',
      text: 'half',
      breaksOff: messages[0]?.content === 'cut' ? 'cut' : { status: 500, message: 'sorry' },
    }));
    const stream = (text: string) => post(url, { ...ask(text), stream: true });
    const text = await (await stream('go')).text();
    expect(text).toContain('"reasoning_content":"hm,"');
    expect(text).toContain('"message":"sorry"');
    expect(text).not.toContain('[DONE]');
    await expect(stream('cut').then((response) => response.text())).rejects.toThrow();
  });

  test('refuses a broken conversation before the script sees it, and what it does not know', async () => {
    const { url, faults } = await start(() => ({ text: 'never' }));
    const response = await post(url, { model: 'm', messages: [{ role: 'assistant', content: 'I begin' }] });
    expect(response.status).toBe(400);
    expect(faults).toEqual(['messages.0: the conversation begins with assistant']);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/chat/completions`, { method: 'POST', body: '{' })).status).toBe(400);
    expect(await (await fetch(`${url}/models`)).json()).toMatchObject({ data: [{ id: 'imitation' }] });
  });
});

describe('what a provider of chat completions refuses', () => {
  const system: ChatMessage = { role: 'system', content: 'be good' };
  const user: ChatMessage = { role: 'user', content: 'q' };
  const assistant: ChatMessage = { role: 'assistant', content: 'a' };
  const calls = (...ids: string[]): ChatMessage => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
  });
  const result = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: '' });

  test.each<[string, ChatMessage[]]>([
    ['calls answered in any order', [system, user, calls('a', 'b'), result('b'), result('a'), assistant]],
    ['two messages of a person', [user, user, assistant, user]],
    ['results at the end', [user, calls('a'), result('a')]],
  ])('takes: %s', (_, messages) => {
    expect(findChatFault(messages)).toBeUndefined();
  });

  test.each<[string, ChatMessage[], RegExp]>([
    ['nothing', [system], /nobody says anything/],
    ['an assistant that begins', [system, assistant], /begins with assistant/],
    ['an empty message', [{ role: 'user', content: [] }], /empty user/],
    ['an empty assistant', [user, { role: 'assistant', content: null }], /empty assistant/],
    [
      'a call without a result',
      [user, calls('a', 'b'), result('a'), user],
      /did not have response messages: b/,
    ],
    ['a call at the end', [user, calls('a')], /did not have response messages: a/],
    ['a result without a call', [user, assistant, result('x')], /must be a response to .*: x/],
    ['a result that comes late', [user, calls('a'), user, result('a')], /did not have response messages: a/],
    ['a second result', [user, calls('a'), result('a'), result('a')], /must be a response to .*: a/],
    ['an id used twice', [user, calls('a'), result('a'), calls('a'), result('a')], /used twice: a/],
    ['a system message in passing', [user, system], /a system message among/],
  ])('refuses: %s', (_, messages, fault) => {
    expect(findChatFault(messages)).toMatch(fault);
  });
});
