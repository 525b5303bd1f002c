import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { startChatApi } from '../../../../../test/imitations/chat-api.ts';
import { type ChatReply, chatErrors } from '../../../../../test/imitations/chat-format.ts';
import { startMessagesApi } from '../../../../../test/imitations/messages-api.ts';
import { apiErrors, type Reply, say } from '../../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { makeTempFolder } from '../../../../sessions/test/setup/temp-folder.ts';
import type { ProviderSettings } from '../../../src/config/bot-config.ts';
import { describeFailure, type Exchange, watchedFetch } from '../../../src/runners/pi/failures.ts';
import { loadPi } from '../../../src/runners/pi/load-pi.ts';
import { openPiRunner } from '../../../src/runners/pi/runner.ts';
import { assertTranscriptHolds, collect, makeSession, saidIn, type TestSession } from '../session.ts';
import { KEY, openPi } from './scripted-provider.ts';

const MODEL = { provider: 'far', model: 'm', contextWindow: 100_000 };

let session: TestSession;
beforeEach(async () => {
  session = await makeSession(MODEL);
});

interface Imitation {
  readonly settings: ProviderSettings;
  readonly requests: readonly unknown[];
  close(): Promise<void>;
}

/** One reply for each request, the last one again and again. */
async function startMessages(
  replies: readonly Reply[],
  more: { key?: string; window?: number } = {},
): Promise<Imitation> {
  const api = await startMessagesApi({
    ...more,
    replies: (_, count) => replies[Math.min(count, replies.length - 1)]!,
  });
  afterTest(() => api.close().catch(() => {}));
  const settings = { baseUrl: api.url, apiKey: KEY, api: 'anthropic-messages', models: [{ id: 'm' }] };
  return { settings, requests: api.requests, close: api.close };
}

async function startChat(
  replies: readonly ChatReply[],
  more: { key?: string; window?: number } = {},
): Promise<Imitation> {
  let count = 0;
  const api = await startChatApi({ ...more, reply: () => replies[Math.min(count++, replies.length - 1)]! });
  afterTest(() => api.close().catch(() => {}));
  const settings = { baseUrl: api.url, apiKey: KEY, api: 'openai-completions', models: [{ id: 'm' }] };
  return { settings, requests: api.requests, close: api.close };
}

const KINDS = [
  {
    kind: 'Anthropic',
    start: startMessages,
    answer: { blocks: [say('Here.')] } as never,
    cut: { blocks: [say('I was about')], breaksOff: 'cut' } as never,
    refusals: {
      rateLimit: apiErrors.rateLimit('30') as never,
      busy: { ...apiErrors.overloaded(), headers: {} } as never,
      overloaded: apiErrors.overloaded() as never,
      noCredit: apiErrors.noCredit() as never,
    },
  },
  {
    kind: 'OpenAI',
    start: startChat,
    answer: { text: 'Here.' } as never,
    cut: { text: 'I was about', breaksOff: 'cut' } as never,
    refusals: {
      rateLimit: chatErrors.rateLimit('30') as never,
      busy: chatErrors.overloaded() as never,
      overloaded: chatErrors.overloaded() as never,
      noCredit: chatErrors.noCredit() as never,
    },
  },
] as const;

describe.each(KINDS)('a provider of the $kind kind', ({ start, answer, cut, refusals }) => {
  const ask = async (settings: ProviderSettings) => {
    const runner = await openPi('far', settings, session.stateDir);
    const events = await collect(runner.start(await session.ask('hello')));
    await assertTranscriptHolds(session);
    return { events, end: events.at(-1)! };
  };

  it('that refuses the key', async () => {
    const { settings } = await start([answer], { key: 'another' });
    const { end } = await ask(settings);
    expect(end).toMatchObject({ reason: 'error', failure: 'unauthorised', isTransient: false });
    expect(end).toHaveProperty('hint', expect.stringContaining('models.providers.far.apiKey'));
    expect(JSON.stringify([end, session.lines()])).not.toContain(KEY);
  });

  it('that repeats the key in its error', async () => {
    const message = `The key ${KEY} is not known`;
    const { settings } = await start([{ status: 401, type: 'authentication_error', message } as never]);
    const { end } = await ask(settings);
    expect(end).toHaveProperty('error', expect.stringContaining('The key *** is not known'));
    expect(JSON.stringify([end, session.lines()])).not.toContain(KEY);
  });

  it('that wants a wait says how long, and is not asked again', async () => {
    const { settings, requests } = await start([refusals.rateLimit, answer]);
    const { end } = await ask(settings);
    expect(end).toMatchObject({ failure: 'rate-limited', isTransient: true, retryAfterMs: 30_000 });
    expect(requests).toHaveLength(1);
  });

  it('that is overloaded', async () => {
    const { settings, requests } = await start([refusals.overloaded]);
    expect((await ask(settings)).end).toMatchObject({ failure: 'overloaded', isTransient: true });
    expect(requests.length).toBeLessThanOrEqual(2);
  });

  it.each([500, 502, 504, 520, 524])('that fails by itself with %i', async (status) => {
    const headers = { 'x-should-retry': 'false' };
    const { settings } = await start([
      { status, type: 'api_error', message: 'Something broke', headers } as never,
    ]);
    expect((await ask(settings)).end).toMatchObject({ failure: 'overloaded', isTransient: true });
  });

  it('that is overloaded for a moment is asked again', async () => {
    const { settings } = await start([refusals.busy, answer]);
    const { events, end } = await ask(settings);
    expect(saidIn(events)).toBe('Here.');
    expect(end).toMatchObject({ reason: 'stop' });
  });

  it('whose account is empty', async () => {
    const { settings } = await start([refusals.noCredit]);
    expect((await ask(settings)).end).toMatchObject({ failure: 'exhausted', isTransient: false });
  });

  it('that is down', async () => {
    const { settings, close } = await start([answer]);
    await close();
    expect((await ask(settings)).end).toMatchObject({ failure: 'unreachable', isTransient: true });
    expect(session.messages()).toEqual(['user: hello']);
  });

  it('whose answer is cut off: what it said is kept, and not given to the model again', async () => {
    const { settings } = await start([cut, answer]);
    const first = await ask(settings);
    expect(first.end).toMatchObject({ failure: 'unreachable', isTransient: true });
    expect(session.lines().at(-1)!.message).toMatchObject({ role: 'assistant', stopReason: 'error' });
    expect(session.messages().at(-1)).toBe('assistant: I was about');
    const second = await ask(settings);
    expect(saidIn(second.events)).toBe('Here.');
  });

  it('whose window is too small', async () => {
    const { settings } = await start([answer], { window: 10 });
    expect((await ask(settings)).end).toMatchObject({ reason: 'overflow' });
  });
});

describe('what must be set', () => {
  const ends = async (
    model: typeof MODEL,
    config: Parameters<typeof openPiRunner>[0]['config'],
    env = {},
  ) => {
    const runner = await openPiRunner({ stateDir: session.stateDir, config, env });
    return (await collect(runner.start(await session.ask('hello', { model })))).at(-1);
  };

  it.each([
    ['anthropic', 'claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
    ['openai', 'gpt-5', 'OPENAI_API_KEY'],
    ['google', 'gemini-2.5-pro', 'GEMINI_API_KEY'],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 'OPENROUTER_API_KEY'],
  ])('the key of %s', async (provider, model, variable) => {
    expect(await ends({ ...MODEL, provider, model }, {})).toMatchObject({
      reason: 'error',
      failure: 'unauthorised',
      error: expect.stringContaining('no key'),
      hint: `Set the variable ${variable}, or models.providers.${provider}.apiKey in ${join(session.stateDir, 'openbot.json')}.`,
    });
  });

  it('a model that is not known', async () => {
    expect(await ends({ ...MODEL, provider: 'anthropic', model: 'none' }, {})).toMatchObject({
      reason: 'error',
      error: 'There is no model anthropic/none',
      hint: expect.stringContaining('models.providers.anthropic.models'),
    });
  });

  it.each([
    [{ models: [{ id: 'm' }] }, 'has no api'],
    [{ api: 'openai-completions', models: [{ id: 'm' }] }, 'has no baseUrl'],
    [
      { api: '../../index', baseUrl: 'http://127.0.0.1:1', models: [{ id: 'm' }] },
      'has the api "../../index"',
    ],
  ])('a provider that is not described well: %j', async (far, error) => {
    const end = await ends(MODEL, { models: { providers: { far } } });
    expect(end).toMatchObject({ reason: 'error', error: expect.stringContaining(error) });
  });

  it('pi itself', async () => {
    await expect(loadPi(join(makeTempFolder(), 'openbot.js'))).rejects.toMatchObject({
      code: 'SDK_NOT_INSTALLED',
      hint: 'npm install @earendil-works/pi-coding-agent',
    });
  });
});

describe('a provider that pi knows', () => {
  it('can have another address and key, and keeps what pi knows about its models', async () => {
    const { settings, requests } = await startMessages([{ blocks: [say('Here.')] }], { key: KEY });
    const far = { baseUrl: settings.baseUrl!, apiKey: KEY, headers: { 'x-team': 'blue' } };
    const runner = await openPi('anthropic', far);
    const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
    expect(runner.describeModel(model.provider, model.model)?.contextWindow).toBeGreaterThan(100_000);
    const events = await collect(runner.start(await session.ask('hello', { model })));
    expect(saidIn(events)).toBe('Here.');
    expect(requests[0]).toMatchObject({ headers: { 'x-team': 'blue' } });
    expect(session.lines().at(-1)!.message).toMatchObject({ usage: { cost: { total: expect.any(Number) } } });
    expect(
      (session.lines().at(-1)!.message!.usage as { cost: { total: number } }).cost.total,
    ).toBeGreaterThan(0);
  });

  it('takes its key from the environment of the bot', async () => {
    const { settings } = await startMessages([{ blocks: [say('Here.')] }], { key: 'from-env' });
    const runner = await openPiRunner({
      stateDir: session.stateDir,
      config: { models: { providers: { anthropic: { baseUrl: settings.baseUrl } } } },
      env: { ANTHROPIC_API_KEY: 'from-env' },
    });
    const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
    expect(saidIn(await collect(runner.start(await session.ask('hello', { model }))))).toBe('Here.');
    expect(existsSync(join(process.env.HOME!, '.pi'))).toBe(false);
  });
});

describe('a provider that does not begin to answer', () => {
  it.each([
    ['no headers', () => {}],
    ['no body', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ])('is given up and not asked again: %s', async (_what, answer) => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      answer(response);
    }).listen(0, '127.0.0.1');
    afterTest(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const exchange: Exchange = {};
    const ask = watchedFetch(exchange, { firstByteMs: 500 });
    const read = async () => (await ask(url)).text();
    await expect(read()).rejects.toThrow();
    await expect(read()).rejects.toThrow();
    expect(asked).toBe(1);
    const how = { isOverflow: false, name: 'far/model', keyHint: '' };
    expect(describeFailure({ errorMessage: 'Connection error.' } as never, exchange, how)).toMatchObject({
      failure: 'unreachable',
      isTransient: true,
      error: 'far/model: The answer did not begin within 0.5 s',
    });
  });
});
