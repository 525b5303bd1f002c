import { describe, expect, test } from 'vitest';
import { mayReach } from '../../src/gateway-methods/services.ts';
import { declareMethod } from '../../src/gateway-protocol/method.ts';
import { text } from '../../src/gateway-protocol/param-shapes.ts';
import { type Json, MAIN_TOKEN, startGateway, type TestServices, TOKEN, until } from './test-server.ts';

interface Asked {
  readonly message: string;
  readonly sessionKey: string;
  readonly runId: string;
}

/** A gateway whose agent says what it is asked for, word by word. */
async function startAgent(settings: object = { chatCompletions: true, responses: true }) {
  const asked: Asked[] = [];
  const aborted: string[] = [];
  const known = new Set<string>();
  const method = declareMethod<TestServices>();
  const methods = [
    method({
      name: 'agents.list',
      scope: 'operator.read',
      params: {},
      handle: (_, { caller }) => ({
        defaultId: 'main',
        agents: ['main', 'other'].filter((id) => mayReach(caller, id)).map((id) => ({ id })),
      }),
    }),
    method({
      name: 'agent',
      scope: 'operator.write',
      params: { message: text, sessionKey: text, idempotencyKey: text },
      handle: async ({ message, sessionKey, idempotencyKey: runId }, { services, signal, respondFirst }) => {
        asked.push({ message, sessionKey, runId });
        const said = message.split('SAY ').at(-1)!;
        if (said === 'late') await services.gate.promise;
        known.add(runId);
        respondFirst({ status: 'accepted' });
        if (said === 'nothing at all') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return { status: 'aborted' };
        }
        if (said === 'one word and failure') {
          const content = [{ type: 'text', text: 'one' }];
          const payload = { runId, sessionKey, state: 'delta', message: { role: 'assistant', content } };
          services.server.hub.publish({ event: 'chat', payload, agentId: 'main', isDroppable: true });
        }
        if (said.endsWith('failure')) return { runId, status: 'error', summary: 'the provider is down' };
        const words = said.split(' ');
        for (const [at] of words.entries()) {
          const content = [{ type: 'text', text: words.slice(0, at + 1).join(' ') }];
          const payload = { runId, sessionKey, state: 'delta', message: { role: 'assistant', content } };
          services.server.hub.publish({ event: 'chat', payload, agentId: 'main', isDroppable: true });
          await new Promise((resolve) => setImmediate(resolve));
        }
        const usage = { input: 7, output: words.length, cacheRead: 3 };
        return {
          runId,
          status: 'ok',
          result: { payloads: [{ text: said }], meta: { agentMeta: { usage } } },
        };
      },
    }),
    method({
      name: 'chat.abort',
      scope: 'operator.write',
      params: { sessionKey: text, runId: text },
      handle: ({ runId }) => {
        if (known.has(runId)) aborted.push(runId);
      },
    }),
    method({
      name: 'chat.history',
      scope: 'operator.read',
      params: { sessionKey: text },
      handle: ({ sessionKey }) => ({ messages: asked.filter((one) => one.sessionKey === sessionKey) }),
    }),
  ];
  const gateway = await startGateway({ methods, settings });
  const send = (path: string, body: object, headers = {}, signal?: AbortSignal) =>
    fetch(`${gateway.httpUrl}${path}`, {
      method: 'POST',
      signal,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: JSON.stringify(body),
    });
  return { ...gateway, asked, aborted, send };
}

const user = (content: unknown) => ({ role: 'user', content });

async function readEvents(response: Response): Promise<Json[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  expect(lines.pop()).toBe('data: [DONE]');
  return lines.map((line) => JSON.parse(line.slice(6)));
}

describe('POST /v1/chat/completions', () => {
  test('is off unless it is asked for', async () => {
    const { send, httpUrl } = await startAgent({});
    expect((await send('/v1/chat/completions', { messages: [user('hi')] })).status).toBe(404);
    expect((await send('/v1/responses', { input: 'hi' })).status).toBe(404);
    expect((await fetch(`${httpUrl}/v1/models`)).status).toBe(404);
  });

  test('answers at once or in parts, each conversation in its session', async () => {
    const { send, asked } = await startAgent();
    const whole = await (
      await send('/v1/chat/completions', { model: 'openclaw', messages: [user('SAY one two')] })
    ).json();
    expect(whole).toMatchObject({
      object: 'chat.completion',
      model: 'openclaw',
      choices: [{ index: 0, message: { role: 'assistant', content: 'one two' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    });
    expect(asked[0]?.sessionKey).toMatch(/^agent:main:openai:[0-9a-f-]{36}$/);

    const history = [
      { role: 'system', content: 'Be brief.' },
      user('Hi'),
      { role: 'assistant', content: 'Hello' },
      user([{ type: 'text', text: 'SAY three four' }]),
    ];
    const body = {
      model: 'openclaw/other',
      user: 'Anna',
      stream: true,
      stream_options: { include_usage: true },
    };
    const events = await readEvents(await send('/v1/chat/completions', { ...body, messages: history }));
    expect(
      events.map(({ choices: [choice] }) => choice?.delta.content ?? choice?.finish_reason ?? null),
    ).toEqual([null, 'three', ' four', 'stop', null]);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 } });
    expect(asked[1]).toMatchObject({
      sessionKey: 'agent:other:openai-user:Anna',
      message: 'Be brief.\n\nThe conversation up to now:\n\nuser: Hi\n\nassistant: Hello\n\nSAY three four',
    });
    await send('/v1/chat/completions', { ...body, messages: history });
    expect(asked.pop()).toMatchObject({
      sessionKey: 'agent:other:openai-user:Anna',
      message: 'Be brief.\n\nSAY three four',
    });

    await send('/v1/chat/completions', { messages: history });
    expect(asked[2]?.message).toBe(
      'Be brief.\n\nThe conversation up to now:\n\nuser: Hi\n\nassistant: Hello\n\nSAY three four',
    );
    await send(
      '/v1/chat/completions',
      { messages: history },
      { 'x-openclaw-session-key': 'agent:main:desk' },
    );
    expect(asked[3]?.sessionKey).toBe('agent:main:desk');
  });

  test('refuses what it cannot do', async () => {
    const { send, httpUrl } = await startAgent();
    const fail = async (body: object, headers = {}) => {
      const response = await send('/v1/chat/completions', body, headers);
      return [response.status, ((await response.json()) as Json).error.type];
    };
    const messages = [user('hi')];
    const invalid = [400, 'invalid_request_error'];
    expect(await fail({ model: 'gpt-5', messages })).toEqual(invalid);
    expect(await fail({ model: 'openclaw/nobody', messages })).toEqual(invalid);
    expect(
      await fail({ model: 'openclaw/other', messages }, { authorization: `Bearer ${MAIN_TOKEN}` }),
    ).toEqual(invalid);
    expect(await fail({ messages: { role: 'user' } })).toEqual(invalid);
    expect(await fail({ messages: [] })).toEqual(invalid);
    expect(await fail({ messages: [user([{ type: 'image_url', image_url: {} }])] })).toEqual(invalid);
    expect(await fail({ messages, user: 'a\nb' })).toEqual(invalid);
    expect(await fail({ messages }, { authorization: 'Bearer wrong' })).toEqual([
      401,
      'authentication_error',
    ]);
    expect(await fail({ messages }, { 'x-openclaw-scopes': 'operator.read' })).toEqual([
      403,
      'permission_error',
    ]);
    expect(await fail({ messages: [user('SAY failure')] })).toEqual([500, 'api_error']);
    expect(await fail({ messages: [user('SAY failure')], stream: true })).toEqual([500, 'api_error']);
    expect(await fail({ messages, stream: true }, { 'x-openclaw-scopes': 'operator.read' })).toEqual([
      403,
      'permission_error',
    ]);
    const events = await readEvents(
      await send('/v1/chat/completions', { messages: [user('SAY one word and failure')], stream: true }),
    );
    expect(events.at(-1)).toEqual({ error: { message: 'the provider is down', type: 'api_error' } });
    expect((await fetch(`${httpUrl}/v1/chat/completions`)).status).toBe(405);
  });

  test('a client that goes away ends its run, also one that was not accepted yet', async () => {
    const { send, asked, aborted, services } = await startAgent();
    const leave = new AbortController();
    const ask = (said: string) =>
      send('/v1/chat/completions', { messages: [user(`SAY ${said}`)], stream: true }, {}, leave.signal).catch(
        () => {},
      );
    void ask('nothing at all');
    void ask('late');
    await until(() => asked.length === 2);
    leave.abort();
    await until(() => aborted.length === 1);
    services.gate.resolve();
    await until(() => aborted.length === 2);
    expect(new Set(aborted)).toEqual(new Set(asked.map(({ runId }) => runId)));
  });
});

describe('POST /v1/responses', () => {
  test('answers at once or in parts, and goes on from a former answer', async () => {
    const { send, asked } = await startAgent();
    const answer = await send('/v1/responses', { instructions: 'Be brief.', input: 'SAY one' });
    const first = (await answer.json()) as Json;
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }] }],
      usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
    });
    expect(asked[0]?.sessionKey).toMatch(/^agent:main:openresponses:/);
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'SAY two three' }] },
    ];
    const events = await readEvents(
      await send('/v1/responses', { input, stream: true, previous_response_id: first.id }),
    );
    expect(asked[1]?.sessionKey).toBe(asked[0]?.sessionKey);
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.at(-1).response.output[0].content[0].text).toBe('two three');

    const foreign = `resp_${'0'.repeat(32)}_${Buffer.from('agent:main:main').toString('base64url')}`;
    for (const previous_response_id of [foreign, 'resp_1', 7])
      expect((await send('/v1/responses', { input: 'hi', previous_response_id })).status).toBe(400);
    expect((await send('/v1/responses', { input: 'SAY failure', stream: true })).status).toBe(500);
    const broken = { input: 'SAY one word and failure', stream: true };
    const failed = await readEvents(await send('/v1/responses', broken));
    expect(failed.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
  });
});

test('who is locked out is told for how long', async () => {
  const { send } = await startAgent();
  const headers = { 'x-forwarded-for': '192.0.2.7', authorization: 'Bearer wrong' };
  for (let n = 0; n < 10; n++) await send('/v1/responses', { input: 'hi' }, headers);
  const locked = await send('/v1/responses', { input: 'hi' }, headers);
  expect(locked.status).toBe(429);
  expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('GET /v1/models', () => {
  test('lists the agents that the caller reaches', async () => {
    const { httpUrl } = await startAgent();
    const get = async (path: string, token = TOKEN): Promise<Json> => {
      const response = await fetch(`${httpUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return response.json();
    };
    const ids = async (token?: string) =>
      (await get('/v1/models', token)).data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual(['openclaw', 'openclaw/main', 'openclaw/other']);
    expect(await ids(MAIN_TOKEN)).toEqual(['openclaw', 'openclaw/main']);
    expect(await get('/v1/models/openclaw%2Fmain')).toMatchObject({ id: 'openclaw/main' });
    expect((await get('/v1/models/%zz')).error.type).toBe('invalid_request_error');
  });
});
