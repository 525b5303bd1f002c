import { afterEach, describe, expect, test } from 'vitest';
import { type MessagesApi, type MessagesApiOptions, startMessagesApi } from './messages-api.ts';
import { type ApiMessage, apiErrors, call, say, think } from './messages-format.ts';
import { findHistoryFault } from './messages-history.ts';

let api: MessagesApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(options: MessagesApiOptions): Promise<MessagesApi> {
  api = await startMessagesApi(options);
  return api;
}

function post(url: string, body: unknown, path = '/v1/messages'): Promise<Response> {
  return fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
}

const ask = (text: string) => ({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: text }] });

describe('the imitation of the Messages API', () => {
  test('answers in one piece, in the order of the script, and remembers what it was asked', async () => {
    const { url, conversations, requests } = await start({
      replies: [
        { blocks: [say('one')], usage: { input_tokens: 7, cache_read_input_tokens: 3 } },
        { blocks: [call('toolu_1', 'Bash', { command: 'ls' })] },
      ],
    });
    expect(await (await post(url, ask('first'))).json()).toMatchObject({
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'one' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 0 },
    });
    expect(await (await post(`${url}`, ask('second'), '/v1/messages?beta=true')).json()).toMatchObject({
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
      stop_reason: 'tool_use',
    });
    const beyond = await post(url, ask('third'));
    expect(beyond.status).toBe(400);
    expect(await beyond.text()).toContain('the script has 2 replies');
    expect(conversations.map((request) => request.messages[0]?.content)).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect(requests.map((request) => request.path)).toEqual(Array(3).fill('/v1/messages'));
  });

  test('streams every kind of block in pieces that join to the whole', async () => {
    const blocks = [think('hm, hm'), say('words'), call('toolu_1', 'Bash', { command: 'echo "x"', n: 1 })];
    const { url } = await start({ replies: () => ({ blocks, usage: { output_tokens: 42 } }) });
    const response = await post(url, { ...ask('go'), stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text())
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Event);
    interface Event {
      type: string;
      index: number;
      delta: Record<string, string>;
      usage: unknown;
    }
    const joined = (index: number, field: string) =>
      events
        .filter((event) => event.type === 'content_block_delta' && event.index === index)
        .map((event) => event.delta[field] ?? '')
        .join('');
    expect(joined(0, 'thinking')).toBe('hm, hm');
    expect(joined(0, 'signature')).not.toBe('');
    expect(joined(1, 'text')).toBe('words');
    expect(JSON.parse(joined(2, 'partial_json'))).toEqual({ command: 'echo "x"', n: 1 });
    expect(events.at(0)?.type).toBe('message_start');
    expect(events.at(-1)?.type).toBe('message_stop');
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 42 },
    });
  });

  test('fails on demand as the API does', async () => {
    const errors = [
      apiErrors.rateLimit(),
      apiErrors.overloaded(),
      apiErrors.promptTooLong(210_000, 200_000),
      apiErrors.authentication(),
    ];
    const { url } = await start({ replies: errors });
    for (const error of errors) {
      const response = await post(url, ask('go'));
      expect(response.status).toBe(error.status);
      expect(await response.json()).toEqual({
        type: 'error',
        error: { type: error.type, message: error.message },
      });
    }
  });

  test('refuses a broken conversation, unless it is configured to accept any', async () => {
    const broken = { model: 'm', messages: [{ role: 'assistant', content: 'I begin' }] };
    const strict = await start({ replies: () => ({ blocks: [say('ok')] }) });
    expect((await post(strict.url, broken)).status).toBe(400);
    expect(strict.faults).toEqual(['messages: first message must use the "user" role']);
    await strict.close();
    const lenient = await start({ replies: () => ({ blocks: [say('ok')] }), takeAnyHistory: true });
    expect((await post(lenient.url, broken)).status).toBe(200);
  });

  test('counts tokens, lists models, and takes another script', async () => {
    const { url, setReplies } = await start({ replies: [], models: ['model-a', 'model-b'] });
    const counted = (await (await post(url, ask('go'), '/v1/messages/count_tokens')).json()) as object;
    expect(counted).toEqual({ input_tokens: expect.any(Number) });
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({
      data: [{ id: 'model-a' }, { id: 'model-b' }],
    });
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/v1/messages`, { method: 'POST', body: '{' })).status).toBe(400);
    setReplies([{ blocks: [say('new script')] }]);
    expect(await (await post(url, ask('go'))).text()).toContain('new script');
  });

  test('refuses another key and what is longer than its window', async () => {
    const { url } = await start({ replies: () => ({ blocks: [say('ok')] }), key: 'right', window: 20 });
    const send = (key: string, text: string) =>
      fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: JSON.stringify(ask(text)),
      });
    expect((await send('wrong', 'go')).status).toBe(401);
    expect((await send('right', 'go')).status).toBe(200);
    const tooLong = await send('right', 'word '.repeat(40));
    expect(tooLong.status).toBe(400);
    expect(await tooLong.text()).toMatch(/prompt is too long: \d+ tokens > 20 maximum/);
  });

  test('breaks off a stream: with an error, or with the connection', async () => {
    const blocks = [say('half')];
    const { url, setReplies } = await start({
      replies: [{ blocks, breaksOff: apiErrors.overloaded() }],
    });
    const stream = () => post(url, { ...ask('go'), stream: true });
    const text = await (await stream()).text();
    expect(text).toContain('"type":"overloaded_error"');
    expect(text).not.toContain('message_stop');
    setReplies([{ blocks, breaksOff: 'cut' }]);
    await expect(stream().then((response) => response.text())).rejects.toThrow();
  });

  test('closes while a client keeps its connection', async () => {
    const server = await startMessagesApi({ replies: [] });
    await (await fetch(`${server.url}/v1/models`)).text();
    await server.close();
    await expect(fetch(`${server.url}/v1/models`)).rejects.toThrow();
  });
});

describe('what the API refuses in a conversation', () => {
  const user = (...content: Exclude<ApiMessage['content'], string>): ApiMessage => ({
    role: 'user',
    content,
  });
  const assistant = (...content: Exclude<ApiMessage['content'], string>): ApiMessage => ({
    role: 'assistant',
    content,
  });
  const use = (id: string) => call(id, 'Bash', {});
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }) as const;
  const note: ApiMessage = { role: 'system', content: 'The date has changed.' };

  test.each<[string, ApiMessage[]]>([
    [
      'calls answered in any order',
      [user(say('q')), assistant(use('a'), use('b')), user(result('b'), result('a'))],
    ],
    ['neighbours of one role', [user(say('q')), assistant(say('1')), assistant(say('2')), user(say('q'))]],
    [
      'answers in two messages',
      [user(say('q')), assistant(use('a'), use('b')), user(result('a')), user(result('b'))],
    ],
    [
      'a system message in passing',
      [user(say('q')), note, assistant(use('a')), user(result('a'), say('and'))],
    ],
    [
      'thinking first in each message between those of the user',
      [
        user(say('q')),
        assistant(think('hm'), say('let me see'), use('a')),
        user(result('a')),
        assistant(think('so'), say('a'), think('and'), say('b')),
        user(say('q')),
      ],
    ],
    [
      'thinking in one message and none in the next',
      [user(say('q')), assistant(think('hm'), say('1')), assistant(say('2')), user(say('q'))],
    ],
  ])('takes: %s', (_, messages) => {
    expect(findHistoryFault(messages)).toBeUndefined();
  });

  test.each<[string, ApiMessage[], RegExp]>([
    ['nothing', [], /at least one message/],
    ['an assistant that begins', [assistant(say('a')), user(say('q'))], /first message/],
    ['an empty text', [user(say(''))], /non-empty/],
    ['a message without content', [user()], /non-empty content/],
    [
      'a call without a result',
      [user(say('q')), assistant(use('a'), use('b')), user(result('a'))],
      /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: b\./,
    ],
    ['a call at the end', [user(say('q')), assistant(use('a'))], /immediately after: a\./],
    [
      'a result that comes late',
      [user(say('q')), assistant(use('a')), user(say('wait')), assistant(say('yes')), user(result('a'))],
      /immediately after: a\./,
    ],
    [
      'a result behind a text',
      [user(say('q')), assistant(use('a')), user(say('t'), result('a'))],
      /after: a\./,
    ],
    [
      'a result without a call',
      [user(say('q')), assistant(say('a')), user(result('x'))],
      /unexpected `tool_use_id`/,
    ],
    [
      'two results for one call',
      [user(say('q')), assistant(use('a')), user(result('a'), result('a'))],
      /single result/,
    ],
    [
      'an id used twice',
      [user(say('q')), assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))],
      /must be unique/,
    ],
    ['a call of the user', [user(use('a'))], /only be in `assistant`/],
    ['a result of the assistant', [user(say('q')), assistant(result('a'))], /only be in `user`/],
    ['thinking at the end', [user(say('q')), assistant(think('hm')), user(say('q'))], /cannot be `thinking`/],
    [
      'a text before the thinking of the same message',
      [user(say('q')), assistant(say('let me see'), think('hm'), say('a')), user(say('q'))],
      /messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `text`/,
    ],
    [
      'a text in the message before, which the API reads as one with it',
      [user(say('q')), assistant(say('let me see')), assistant(think('hm'), say('a')), user(say('q'))],
      /messages\.1\.content\.0\.type: Expected `thinking`/,
    ],
    [
      'a call before thinking',
      [user(say('q')), assistant(use('a'), think('hm'), say('a')), user(result('a'))],
      /but found `tool_use`/,
    ],
    [
      'thinking with a signature that was not issued for it',
      [user(say('q')), assistant({ ...think('hm'), thinking: 'hm!' }, say('a')), user(say('q'))],
      /messages\.1\.content\.0: Invalid `signature` in `thinking` block/,
    ],
    ['thinking of the user', [user(think('hm'), say('q'))], /only be in `assistant`/],
  ])('refuses: %s', (_, messages, fault) => {
    expect(findHistoryFault(messages)).toMatch(fault);
  });
});
