import { Bot } from 'grammy';
import { describe, expect, test } from 'vitest';
import type { ChannelHealth } from '../../../src/channels/contract.ts';
import { TelegramChannel } from '../../../src/channels/telegram/telegram-channel.ts';
import { GROUP, message, SECRET, TelegramBench } from './telegram-bench.ts';

const health = (bench: TelegramBench) =>
  bench.channel.health() as ChannelHealth & { error?: string; nextTryAt?: number };
const state = (bench: TelegramBench) => health(bench).state;
const refusal = (code: number, description: string, parameters?: Record<string, number>) =>
  ({ fault: 'refuse', code, description, parameters }) as const;
const CONFLICT = refusal(409, 'Conflict: terminated by other getUpdates request');

describe('the start', () => {
  test('asks who it is, gives up a webhook without dropping what waits, and polls', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    const [me, webhook, poll] = bench.api.calls;
    expect([me!.method, webhook!.method, poll!.method]).toEqual(['getMe', 'deleteWebhook', 'getUpdates']);
    expect(webhook!.params).toEqual({ drop_pending_updates: false });
    expect(poll!.params).toEqual({
      timeout: 0,
      limit: 100,
      allowed_updates: ['message', 'edited_message', 'callback_query'],
    });
    await bench.until(() => bench.api.updates.isPolled);
    expect(bench.api.callsOf('getUpdates').at(-1)!.params.timeout).toBe(25);
  });

  test('a network that is down holds up nothing', async () => {
    const bench = await TelegramBench.make();
    bench.api.goDown();
    const channel = bench.makeChannel();
    await channel.start(bench.host);
    await bench.until(() => state(bench) === 'reconnecting');
    expect(health(bench).error).toMatch(/^Telegram cannot be reached/);
    bench.api.goDown(false);
    bench.api.updates.push({ message: message(1, { text: 'meanwhile' }) });
    await bench.pass(() => bench.host.taken.length === 1);
    expect(state(bench)).toBe('connected');
  });

  test.each([
    [{ botToken: undefined }, 'botToken is missing'],
    [{ botToken: 'nonsense' }, 'botToken must be a token of @BotFather'],
    [{ apiRoot: 'ftp://x' }, 'apiRoot must be an address'],
    [{ webhookUrl: 'https://x.y' }, 'webhookUrl needs a webhookSecret'],
    [{ webhookUrl: 'https://x.y', webhookSecret: 'ümlaut-secret' }, 'webhookSecret must be 8 to 256'],
    [{ webhookUrl: 'http://x.y', webhookSecret: 'a-secret' }, 'webhookUrl must begin with https://'],
    [{ linkPreview: 'no' }, 'linkPreview must be true or false'],
  ])('%j is refused', (settings, words) => {
    const options = { accountId: 'a', stateDir: '/', now: () => 0, media: {} as never };
    const all = { botToken: '1:a', ...settings };
    expect(() => new TelegramChannel({ ...options, settings: all })).toThrow(words);
  });
});

describe('the offset', () => {
  test('complaint 1: what was not kept comes again after a crash', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    bench.host.failures = 1000;
    bench.api.updates.push({ message: message(1, { text: 'first' }) });
    await bench.until(() => bench.attempts > 0);
    // The process ends here: it says nothing more to Telegram.
    const { channel } = bench;
    await channel.stop();
    expect(bench.api.updates.unconfirmed).toHaveLength(1);
    bench.host.failures = 0;
    await bench.start();
    await bench.until(() => bench.host.taken.length === 1);
  });

  test('complaint 1: a stop in the middle of keeping confirms nothing that is not kept', async () => {
    const bench = await TelegramBench.make();
    const channel = await bench.start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { accept } = bench.host;
    bench.host.accept = async (given) => {
      resolve();
      await accept(given);
      throw new Error('The disk is full.');
    };
    bench.api.updates.push({ message: message(1, { text: 'first' }) });
    await promise;
    await channel.stop();
    expect(bench.api.updates.unconfirmed).toHaveLength(1);
  });

  test('complaint 2: a repeat has the same identity', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    const update = bench.api.updates.push({ message: message(1, { text: 'first' }) })!;
    await bench.until(() => bench.host.calls === 1);
    bench.api.updates.repeat(update);
    await bench.until(() => bench.host.calls === 2);
    expect(bench.host.taken).toHaveLength(1);
  });

  test('complaint 5: a conversation whose messages cannot be kept holds up no other, and keeps its order', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    const { accept } = bench.host;
    let isFull = true;
    bench.host.accept = (given) =>
      isFull && given.conversationId === '777' ? Promise.reject(new Error('Full.')) : accept(given);
    const write = (id: number, chat: unknown) =>
      bench.api.updates.push({ message: message(id, { text: `${id}`, chat }) });
    const ada = { id: 777, type: 'private' };
    write(1, ada);
    write(2, ada);
    write(3, GROUP);
    await bench.pass(() => bench.host.taken.length === 1);
    write(4, GROUP);
    await bench.pass(() => bench.host.taken.length === 2);
    expect(bench.host.taken.map(([, id]) => id)).toEqual(['3', '4']);
    isFull = false;
    await bench.pass(() => bench.api.updates.unconfirmed.length === 0);
    expect(bench.host.taken.map(([, id]) => id)).toEqual(['3', '4', '1', '2']);
    expect(bench.host.reports[0]).toBe('A message of Telegram could not be kept: Full.');
  });

  test('complaint 9: a slow download holds up no other conversation', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    bench.api.addFile('slow', 'bytes');
    bench.api.addFault('download', { fault: 'stall' });
    const voice = { file_id: 'slow', mime_type: 'audio/ogg' };
    bench.api.updates.push({ message: message(1, { voice }) });
    await bench.until(() => bench.api.callsOf('download').length === 1);
    bench.api.updates.push({ message: message(2, { text: 'fast', chat: GROUP }) });
    await bench.pass(() => bench.host.taken.length === 1);
    expect(bench.host.taken[0]).toEqual(['-100123', '2', 'fast']);
    await bench.pass(() => bench.host.taken.length === 2);
    expect(bench.host.contexts.at(-1)).toMatchObject({ MediaTypes: ['audio/ogg'] });
    await bench.pass(() => bench.api.updates.unconfirmed.length === 0);
  });

  test('a download that stalls holds up a full batch for a short time, and the health says so', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    bench.api.addFault('getFile', { fault: 'stall' }, 10);
    bench.api.updates.push({ message: message(1, { voice: { file_id: 'slow' } }) });
    await bench.until(() => bench.api.callsOf('getFile').length === 1);
    for (let id = 2; id <= 107; id++)
      bench.api.updates.push({ message: message(id, { text: `${id}`, chat: GROUP }) });
    await bench.pass(() => state(bench) === 'reconnecting');
    expect(health(bench).error).toContain('No new messages are taken');
    expect(bench.host.taken).toHaveLength(99);
    await bench.pass(() => bench.host.taken.length === 107);
    expect(bench.host.contexts[99]).toMatchObject({
      MediaMissing: [{ reason: 'the download was not done in 20 s' }],
    });
    await bench.pass(() => state(bench) === 'connected');
  });

  test('a batch and more, in order', async () => {
    const bench = await TelegramBench.make();
    for (let id = 1; id <= 250; id++) bench.api.updates.push({ message: message(id, { text: `${id}` }) });
    await bench.start();
    await bench.until(() => bench.api.updates.unconfirmed.length === 0);
    expect(bench.host.taken.map(([, id]) => Number(id))).toEqual(
      Array.from({ length: 250 }, (_, n) => n + 1),
    );
  });
});

test("why it is not grammY's bot.start(): that confirms what its handler could not keep", async () => {
  const bench = await TelegramBench.make();
  const { token, root, updates } = bench.api;
  const bot = new Bot(token, { client: { apiRoot: root } });
  bot.use(() => Promise.reject(new Error('The disk is full.')));
  bot.catch(() => {});
  updates.push({ message: message(1, { text: 'lost' }) });
  const running = bot.start();
  await bench.until(() => updates.unconfirmed.length === 0);
  await bot.stop();
  await running;
});

describe('complaint 6: a connection that is lost is seen, and made again', () => {
  test('a connection that says nothing any more', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    await bench.until(() => bench.api.updates.isPolled);
    bench.api.addFault('getUpdates', { fault: 'stall' });
    const { polls } = bench.api.updates;
    bench.api.updates.push({ message: message(1, { text: 'wakes it' }) });
    // The next poll stalls: the message is kept, its confirmation is lost.
    await bench.until(() => bench.host.taken.length === 1 && bench.api.callsOf('getUpdates').length > polls);
    bench.api.updates.push({ message: message(2, { text: 'unheard' }) });
    await bench.clock.advance(39_000);
    expect(bench.host.taken).toHaveLength(1);
    await bench.clock.advance(1000);
    await bench.until(() => state(bench) === 'reconnecting');
    await bench.pass(() => bench.host.taken.length === 2);
    expect(state(bench)).toBe('connected');
  });

  test('a start that is not answered', async () => {
    const bench = await TelegramBench.make();
    bench.api.addFault('getMe', { fault: 'stall' });
    const channel = bench.makeChannel();
    await channel.start(bench.host);
    await bench.until(() => bench.api.callsOf('getMe').length === 1);
    expect(state(bench)).toBe('starting');
    await bench.clock.advance(15_000);
    await bench.until(() => state(bench) === 'reconnecting');
    expect(health(bench).error).toBe('Telegram cannot be reached (no answer in 15 s)');
    await bench.pass(() => state(bench) === 'connected');
  });

  test('a connection that ends, and the answer of a proxy', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    for (const fault of ['cut', 'proxy error'] as const) {
      await bench.until(() => bench.api.updates.isPolled);
      bench.api.addFault('getUpdates', { fault });
      bench.api.updates.push({ message: message(1, { text: fault }) });
      await bench.until(() => state(bench) === 'reconnecting');
      await bench.pass(() => state(bench) === 'connected');
    }
    expect(bench.host.taken).toHaveLength(1);
  });

  test('an answer with messages that is lost', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    await bench.until(() => bench.api.updates.isPolled);
    bench.api.addFault('getUpdates', { fault: 'lose answer' });
    await bench.receive({ text: 'one' }, 1);
    await bench.until(() => bench.api.updates.isPolled);
    bench.api.updates.push({ message: message(2, { text: 'two' }) });
    await bench.until(() => state(bench) === 'reconnecting');
    expect(bench.host.taken).toHaveLength(1);
    await bench.pass(() => bench.host.taken.length === 2);
  });

  test('another program that polls: it says so, and does not fight', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    await bench.until(() => bench.api.updates.isPolled);
    const { root, token } = bench.api;
    // Each poll of the other one ends ours.
    const other = () => fetch(`${root}/bot${token}/getUpdates`, { method: 'POST', body: '{"timeout":0}' });
    const waits: number[] = [];
    for (let round = 1; round <= 4; round++) {
      await bench.until(() => bench.api.updates.isPolled);
      await other();
      await bench.until(
        () => (health(bench).error ?? '').startsWith('Another program') && bench.clock.waiting === 1,
      );
      expect(state(bench)).toBe(round < 3 ? 'reconnecting' : 'failed');
      const { polls } = bench.api.updates;
      const before = bench.clock.now();
      await bench.pass(() => bench.api.updates.polls > polls);
      waits.push(bench.clock.now() - before);
    }
    expect(waits).toEqual([5000, 10_000, 20_000, 40_000]);
    // The other one is gone.
    await bench.until(() => bench.api.updates.isPolled);
    bench.api.updates.push({ message: message(1, { text: 'x' }) });
    await bench.until(() => bench.host.taken.length === 1);
    expect(state(bench)).toBe('connected');
  });

  test('a webhook of another program is not taken away from it', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    await bench.api.updates.setWebhook({ url: 'http://127.0.0.1:9/other' });
    bench.api.updates.push({ message: message(1, { text: 'x' }) });
    await bench.pass(() => state(bench) === 'failed');
    expect(health(bench).error).toContain('has set a webhook');
    expect(bench.api.callsOf('deleteWebhook')).toHaveLength(1);
  });

  test('a wrong token fails, and is asked for seldom', async () => {
    const bench = await TelegramBench.make();
    const channel = bench.makeChannel({ botToken: '1:wrong_secret' });
    await channel.start(bench.host);
    await bench.until(() => state(bench) === 'failed');
    expect(health(bench).error).toBe(
      'Telegram does not know the botToken (Telegram answered 401: Unauthorized).',
    );
    expect(channel.summary()).toBe('Telegram: failed');
    await expect(channel.probe(new AbortController().signal)).rejects.toMatchObject({
      message: 'Telegram does not know the botToken (Telegram answered 401: Unauthorized)',
      hint: expect.stringContaining('docs/channels/telegram.md'),
    });
  });

  test('429 while it polls: it comes again when it may', async () => {
    const bench = await TelegramBench.make();
    await bench.start();
    await bench.until(() => bench.api.updates.isPolled);
    bench.api.addFault('getUpdates', refusal(429, 'Too Many Requests: retry after 11', { retry_after: 11 }));
    bench.api.updates.push({ message: message(1, { text: 'x' }) });
    await bench.until(() => state(bench) === 'reconnecting');
    expect(health(bench).nextTryAt).toBe(bench.clock.now() + 11_000);
    await bench.pass(() => state(bench) === 'connected');
  });

  test('one conflict after a restart is none', async () => {
    const bench = await TelegramBench.make();
    bench.api.addFault('getUpdates', CONFLICT);
    const channel = bench.makeChannel();
    await channel.start(bench.host);
    await bench.until(() => state(bench) === 'reconnecting');
    await bench.clock.advance(5000);
    await bench.until(() => bench.api.updates.isPolled);
    bench.api.updates.push({ message: message(1, { text: 'x' }) });
    await bench.until(() => state(bench) === 'connected');
  });
});

describe('the webhook', () => {
  const start = async () => {
    const bench = await TelegramBench.make();
    const url = await bench.listen();
    await bench.start({ webhookUrl: url, webhookSecret: SECRET });
    const post = (
      body: string,
      headers: Record<string, string> = { 'x-telegram-bot-api-secret-token': SECRET },
    ) => bench.channel.receiveHttp({ method: 'POST', path: '/', headers, body: Buffer.from(body) });
    return { bench, url, post };
  };
  const update = JSON.stringify({ update_id: 5, message: message(1, { text: 'x' }) });

  test('that Telegram refuses is for a person to mend, and tried again after minutes', async () => {
    const bench = await TelegramBench.make();
    const description = 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook';
    bench.api.addFault('setWebhook', { fault: 'refuse', code: 400, description });
    const channel = bench.makeChannel({ webhookUrl: await bench.listen(), webhookSecret: SECRET });
    await channel.start(bench.host);
    await bench.until(() => state(bench) === 'failed');
    expect(health(bench).error).toMatch(/HTTPS URL must be provided/);
    await bench.clock.advance(299_000);
    expect(state(bench)).toBe('failed');
    await bench.pass(() => state(bench) === 'connected');
  });

  test('is set with the secret, and drops nothing', async () => {
    const { bench, url } = await start();
    expect(bench.api.callsOf('setWebhook')[0]!.params).toEqual({
      url,
      secret_token: SECRET,
      allowed_updates: ['message', 'edited_message', 'callback_query'],
      max_connections: 1,
      drop_pending_updates: false,
    });
    expect(bench.api.callsOf('getUpdates')).toEqual([]);
  });

  test('forged calls are refused', async () => {
    const { bench, post } = await start();
    for (const headers of [
      {},
      { 'x-telegram-bot-api-secret-token': `${SECRET}x` },
      { 'x-telegram-bot-api-secret-token': '' },
    ])
      expect(await post(update, headers as Record<string, string>)).toEqual({ status: 401 });
    expect(await post('not JSON')).toEqual({ status: 400 });
    expect(await post('{"update_id":"1"}')).toEqual({ status: 400 });
    expect(await post('[]')).toEqual({ status: 400 });
    expect(bench.host.calls).toBe(0);
  });

  test('complaint 1: a call is answered when the message is kept; a replayed one has no effect', async () => {
    const { bench, post } = await start();
    bench.host.failures = 1;
    expect(await post(update)).toEqual({ status: 500 });
    expect(await post(update)).toEqual({ status: 200 });
    expect(await post(update)).toEqual({ status: 200 });
    expect(bench.host.taken).toHaveLength(1);
  });

  test('updates that happen together are taken in their order', async () => {
    const bench = await TelegramBench.make();
    const url = await bench.listen();
    for (let id = 1; id <= 5; id++) bench.api.updates.push({ message: message(id, { text: 'x' }) });
    await bench.start({ webhookUrl: url, webhookSecret: SECRET });
    for (let id = 6; id <= 10; id++) bench.api.updates.push({ message: message(id, { text: 'x' }) });
    // Those of the start may be called before the bot is known.
    void bench.api.updates.callWebhook();
    await bench.until(() => bench.host.taken.length === 10);
    expect(bench.host.taken.map(([, id]) => Number(id))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('calls of one conversation are taken in order', async () => {
    const { bench, post } = await start();
    const all = Array.from({ length: 20 }, (_, n) =>
      post(JSON.stringify({ update_id: n, message: message(n, { text: 'x' }) })),
    );
    await Promise.all(all);
    expect(bench.host.taken.map(([, id]) => Number(id))).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test('that another program changed it is seen', async () => {
    const { bench } = await start();
    await bench.api.updates.setWebhook({ url: 'http://127.0.0.1:9/other' });
    await bench.pass(() => state(bench) === 'failed');
    expect(health(bench).error).toContain('has set a webhook');
  });

  test('that Telegram cannot call is not connected, until it brings what waits', async () => {
    const { bench, url } = await start();
    const { updates } = bench.api;
    bench.isProxyDead = true;
    updates.push({ message: message(1, { text: 'x' }) });
    await updates.delivering;
    await bench.pass(() => state(bench) === 'reconnecting');
    const { since, error } = health(bench) as ChannelHealth & { since: number; error: string };
    expect(error).toBe(`Telegram could not call ${url}: Wrong response from the webhook: 502 Bad Gateway`);
    // It stays so as long as nothing comes, whether Telegram tries again or not.
    await updates.callWebhook();
    for (let n = 0; n < 10; n++) await bench.clock.advance(60_000);
    expect(health(bench)).toMatchObject({ state: 'reconnecting', since, error });
    expect(bench.host.reports).toEqual([error]);
    bench.isProxyDead = false;
    await updates.callWebhook();
    expect(state(bench)).toBe('connected');
    // The error that Telegram still tells is an old one.
    for (let n = 0; n < 10; n++) await bench.clock.advance(60_000);
    expect(state(bench)).toBe('connected');
    expect(bench.host.reports).toHaveLength(1);
  });

  test('an error that Telegram got over, or that is older than the start, is none', async () => {
    const { bench } = await start();
    const { updates } = bench.api;
    bench.isProxyDead = true;
    updates.push({ message: message(1, { text: 'x' }) });
    await updates.delivering;
    bench.isProxyDead = false;
    await updates.callWebhook();
    for (let n = 0; n < 10; n++) await bench.clock.advance(60_000);
    expect(state(bench)).toBe('connected');
    await bench.channel.stop();
    bench.isProxyDead = true;
    updates.push({ message: message(2, { text: 'y' }) });
    await updates.delivering;
    await bench.start({ webhookUrl: updates.webhook!.url, webhookSecret: SECRET });
    expect(state(bench)).toBe('connected');
    // It cannot be called still.
    await updates.callWebhook();
    await bench.pass(() => state(bench) === 'reconnecting');
  });

  test('nothing is accepted without one, or after the stop', async () => {
    const { bench, post } = await start();
    await bench.channel.stop();
    expect(await post(update)).toEqual({ status: 503 });
    await bench.start();
    expect(await post(update)).toEqual({ status: 404 });
  });
});
