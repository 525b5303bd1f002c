import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SendRequest } from '../../src/channels/contract.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { CHAT_COMMANDS } from '../../src/chat-commands/table.ts';
import { ALL_METHODS } from '../../src/gateway-methods/all.ts';
import { FIXTURES, type Json, MethodsHome } from './methods-home.ts';

const DEMO = 'agent:main:demo';
const READER = { scopes: new Set(['operator.read']) };

/** Fields that OpenClaw's answer has, and this one does not. */
function missing(answer: object, real: object): string[] {
  return Object.keys(real).filter((field) => !(field in answer));
}

test('agents, models and commands are listed as OpenClaw lists them', async () => {
  const home = await MethodsHome.open({
    config: {
      agents: {
        defaults: { model: 'script/echo' },
        list: [
          { id: 'main', default: true, name: 'Ada' },
          { id: 'other', model: 'script/other' },
        ],
      },
    },
  });
  const agents = await home.ask('agents.list');
  const [real] = FIXTURES['agents.list']!;
  expect(missing(agents, real!.payload)).toEqual(['ownership']);
  expect(missing(agents.agents[0], real!.payload.agents[0])).toEqual([
    'workspaceGit',
    'agentRuntime',
    'defaultPermissionMode',
  ]);
  expect(agents).toMatchObject({ defaultId: 'main', mainKey: 'main', scope: 'per-sender' });
  expect(agents.agents.map(({ id, model }: Json) => [id, model.primary])).toEqual([
    ['main', 'script/echo'],
    ['other', 'script/other'],
  ]);
  expect(await home.ask('agent.identity.get', { agentId: 'main' })).toMatchObject({
    agentId: 'main',
    name: 'Ada',
  });
  expect(await home.ask('agent.identity.get', { sessionKey: 'agent:other:x' })).toMatchObject({
    name: 'other',
  });
  expect((await home.refusal('agent.identity.get', { agentId: 'x' })).message).toBe(
    'Agent "x" no longer exists in configuration',
  );
  const { models } = await home.ask('models.list', { view: 'default', includeDetails: true });
  expect(models[0]).toMatchObject({
    id: 'echo',
    provider: 'script',
    available: true,
    tags: ['default', 'configured'],
  });
  expect(missing(models[0], FIXTURES['models.list']![0]!.payload.models[0])).toEqual(['thinkingDefault']);
  expect((await home.ask('models.list', { agentId: 'other' })).models.map(({ id }: Json) => id)).toEqual([
    'other',
  ]);
  const { commands } = await home.ask('commands.list', { scope: 'text', includeArgs: false });
  expect(commands).toHaveLength(CHAT_COMMANDS.length);
  expect(Object.keys(commands[0]).sort()).toEqual(
    Object.keys(FIXTURES['commands.list']![0]!.payload.commands[0]).sort(),
  );
  expect(commands.find(({ name }: Json) => name === 'think')).toMatchObject({
    textAliases: ['/think', '/thinking', '/t'],
    acceptsArgs: true,
    category: 'options',
  });
  // As OpenClaw's schema has them, and unless the client wants none.
  const withArgs = (await home.ask('commands.list')).commands;
  const argsOf = (wanted: string) => withArgs.find(({ name }: Json) => name === wanted).args;
  expect(argsOf('new').map(({ name }: Json) => name)).toEqual(['model', 'message']);
  expect(argsOf('clean')).toEqual([
    {
      name: 'value',
      description: 'Remove old tool calls and their results from the context',
      type: 'string',
      required: false,
      choices: ['default', 'aggressive', 'extreme'].map((value) => ({ value, label: value })),
    },
  ]);
  expect(argsOf('model')).toMatchObject([{ name: 'value' }]);
  expect(argsOf('model')[0].choices).toBeUndefined();
  expect(argsOf('queue')[0].choices.map(({ value }: Json) => value)).toEqual(
    expect.arrayContaining(['collect', 'steer', 'default']),
  );
  expect(argsOf('status')).toBeUndefined();
});

test('the configuration is shown without its secrets', async () => {
  const home = await MethodsHome.open();
  expect(await home.ask('config.get')).toMatchObject({ exists: false, valid: true, parsed: {} });
  const path = join(home.stateDir, 'openbot.json');
  const write = (apiKey: string) =>
    writeFileSync(path, `{ // my key is hunter2\n models: { providers: { x: { apiKey: "${apiKey}" } } } }`);
  write('sk-very-secret');
  const config = await home.ask('config.get', {}, READER);
  expect(JSON.stringify(config)).not.toMatch(/sk-very-secret|hunter2/);
  const { payload: real } = FIXTURES['config.get']![0]!;
  expect(missing(config, real)).toEqual([
    'includedPaths',
    'includeProvenance',
    'agentRosterIncludeOwned',
    'bindingsIncludeOwned',
    'runtimeConfig',
    'appliedConfigHash',
  ]);
  expect(config).toMatchObject({ path, exists: true, valid: true });
  expect(config.resolved.models.providers.x.apiKey).toBe(real.resolved.models.providers.mock.apiKey);
  write('sk-other-secret');
  expect((await home.ask('config.get')).hash).not.toBe(config.hash);
  writeFileSync(path, '{ agents: { defaults: { model: 5 } } }');
  expect(await home.ask('config.get')).toMatchObject({
    valid: false,
    issues: [{ path: 'agents.defaults.model' }],
  });
});

test('health and status tell of sessions; status says less below admin', async () => {
  const home = await MethodsHome.open();
  await home.say('say hi', DEMO);
  const health = await home.ask('health', { probe: true });
  const { payload: realHealth } = FIXTURES.health![0]!;
  expect(missing(health, realHealth)).toEqual(['plugins', 'configReload', 'modelRuntime', 'eventLoop']);
  expect(health).toMatchObject({
    ok: true,
    defaultAgentId: 'main',
    agents: [{ agentId: 'main', isDefault: true, sessions: { count: 1, recent: [{ key: DEMO }] } }],
    agentHost: { state: 'up' },
  });
  const status = await home.ask('status', {});
  const { payload: realStatus } = FIXTURES.status![0]!;
  expect(missing(status.sessions, realStatus.sessions)).toEqual([]);
  expect(missing(status.sessions.recent[0], realStatus.sessions.recent[0])).toEqual([
    'modelSelectionReason',
    'runtime',
  ]);
  expect(status).toMatchObject({
    sessions: { count: 1, recent: [{ key: DEMO }] },
    inbox: expect.any(Object),
  });
  const less = await home.ask('status', { includeChannelSummary: false }, READER);
  expect(less).toMatchObject({
    sessions: { paths: [], count: 1, recent: [], byAgent: [{ path: '[redacted]' }] },
  });
  expect(less).not.toHaveProperty('pid');
  // `openclaw status --json` asks so.
  expect(await home.ask('status', { includeCliProjection: true }, READER)).toMatchObject({
    cliProjection: {
      agents: { defaultId: 'main', ownership: 'sole', selectionRequired: false, rows: [{ id: 'main' }] },
      updateChannel: null,
    },
  });
  expect(await home.ask('system-presence')).toEqual([{ mode: 'gateway', reason: 'self' }]);
  // A process of agents that has nothing to do is no fault; one that does not start is.
  for (const [phase, ok] of [
    [{ at: 'resting' }, true],
    [{ at: 'down', reason: 'it ended', retryAtMs: 0 }, false],
  ] as const) {
    const host = { ...home.services.host, status: { ...home.services.host.status, phase } };
    Object.assign(home, { services: { ...home.services, host } });
    expect(await home.ask('health')).toMatchObject({ ok, agentHost: { state: phase.at } });
  }
});

test('the log is followed by a cursor', async () => {
  const home = await MethodsHome.open({ logPath: undefined });
  expect((await home.refusal('logs.tail')).code).toBe('UNAVAILABLE');
  const logPath = join(home.stateDir, 'gateway.log');
  const services = { ...home.services, logPath };
  Object.assign(home, { services });
  expect(await home.ask('logs.tail')).toMatchObject({ file: logPath, cursor: 0, lines: [] });
  writeFileSync(logPath, 'one\ntwo\nthree\n');
  const first = await home.ask('logs.tail', { limit: 2 });
  expect(first).toEqual({
    file: logPath,
    cursor: 14,
    size: 14,
    lines: ['two', 'three'],
    truncated: true,
    reset: false,
  });
  appendFileSync(logPath, 'four\n');
  expect(await home.ask('logs.tail', { cursor: 14 })).toMatchObject({ cursor: 19, lines: ['four'] });
  expect(await home.ask('logs.tail', { maxBytes: 7 })).toMatchObject({ lines: ['four'], truncated: true });
  writeFileSync(logPath, 'new\n');
  expect(await home.ask('logs.tail', { cursor: 19 })).toMatchObject({ lines: ['new'], reset: true });
  expect(missing(first, FIXTURES['logs.tail']![0]!.payload)).toEqual([]);

  // A new file that has grown past the cursor meanwhile, for one connection.
  const tail = ALL_METHODS.find(({ name }) => name === 'logs.tail')!;
  const call = {
    caller: home.caller(),
    services,
    respondFirst: () => {},
    signal: new AbortController().signal,
  };
  const ask = (params: object) => tail.handle(params as never, call);
  expect(await ask({})).toMatchObject({ cursor: 4 });
  renameSync(logPath, `${logPath}.1`);
  writeFileSync(logPath, 'after the rotation\n');
  expect(await ask({ cursor: 4 })).toMatchObject({ lines: ['after the rotation'], reset: true });
  expect(await ask({ cursor: 19 })).toMatchObject({ lines: [], reset: false });
});

test('messages are sent once for each key, and refused clearly', async () => {
  const channel = new MemoryChannel({ name: 'telegram' });
  const home = await MethodsHome.open({ channels: [channel], config: { channels: { signal: {} } } });
  const letter = { to: 'telegram:777', message: 'hello', channel: 'telegram', idempotencyKey: 'ms1' };
  // There is a session for it.
  await home.say('hi', 'agent:main:main');
  const [sent] = await Promise.all([home.ask('send', letter), home.ask('send', letter)]);
  const { messages } = await home.ask('sessions.get', { key: 'main' });
  expect(JSON.stringify(messages).match(/"hello"/g)).toHaveLength(1);
  expect(await home.refusal('send', { ...letter, message: 'other' })).toMatchObject({
    details: { reason: 'send-request-conflict' },
  });
  expect(sent).toEqual({ runId: 'ms1', messageId: expect.any(String), channel: 'telegram' });
  expect(await home.ask('send', letter)).toEqual(sent);
  expect(channel.network.shown.map(({ target, payload }) => [target.to, payload.text])).toEqual([
    ['777', 'hello'],
  ]);
  const action = await home.ask('message.action', {
    channel: 'telegram',
    action: 'send',
    params: { to: 'telegram:777', message: 'again' },
    idempotencyKey: 's3',
  });
  expect(action).toEqual({ ok: true, messageId: expect.any(String), chatId: '777', receipt: {} });
  const { error } = FIXTURES.send!.find(({ params }) => params?.channel === 'nope')!;
  expect(await home.refusal('send', { ...letter, channel: 'nope', idempotencyKey: 's2' })).toEqual(error);
  expect(
    await home.refusal('send', { ...letter, to: '1', channel: 'signal', idempotencyKey: 's4' }),
  ).toMatchObject({
    code: 'UNAVAILABLE',
    details: { code: 'CHANNEL_NOT_OPEN' },
  });
  expect((await home.refusal('send', { ...letter, message: ' ' })).message).toBe('message or media required');
  expect(
    (await home.refusal('send', { ...letter, mediaUrl: '/etc/passwd', idempotencyKey: 's5' })).message,
  ).toContain('https');
  const status = await home.ask('channels.status', { probe: false });
  const [empty] = FIXTURES['channels.status']!;
  expect(missing(status, empty!.payload)).toEqual(['eventLoop']);
  expect(status).toMatchObject({
    channelOrder: ['signal', 'telegram'],
    channels: { signal: { configured: true, running: false }, telegram: { running: true } },
    channelAccounts: { telegram: [{ accountId: 'default', running: true, connected: true }] },
  });
});

test('what one network alone has goes with a message to it', async () => {
  const channel = new MemoryChannel({ name: 'telegram' });
  const home = await MethodsHome.open({ channels: [channel], config: { channels: { signal: {} } } });
  const buttons = [[{ text: 'Yes', callback_data: 'yes' }]];
  const channelData = { telegram: { buttons }, discord: { embeds: [] } };
  const letter = { to: '777', message: 'Well?', channel: 'telegram', channelData };
  await home.ask('send', { ...letter, idempotencyKey: 'd1' });
  const params = { to: 'telegram:777', channelData };
  const action = { channel: 'telegram', action: 'send', params };
  await home.ask('message.action', { ...action, idempotencyKey: 'd2' });
  const shown = { channelData: { telegram: { buttons } } };
  expect(channel.network.shown.map(({ payload }) => payload)).toEqual([{ text: 'Well?', ...shown }, shown]);

  const other = { telegram: { buttons: [] } };
  expect(await home.refusal('send', { ...letter, channelData: other, idempotencyKey: 'd1' })).toMatchObject({
    details: { reason: 'send-request-conflict' },
  });
  const empty = { ...letter, message: undefined, channelData: { discord: {} }, idempotencyKey: 'd3' };
  expect((await home.refusal('send', empty)).message).toBe('message or media required');
  for (const wrong of ['buttons', [buttons], 1]) {
    const idempotencyKey = 'd4';
    const { message } = await home.refusal('send', { ...letter, channelData: wrong, idempotencyKey });
    expect(message).toMatch(/at \/channelData: must be object/);
    const wrongParams = { ...params, message: 'x', channelData: wrong };
    expect(
      (await home.refusal('message.action', { ...action, params: wrongParams, idempotencyKey })).message,
    ).toMatch(/at \/params\/channelData: must be object/);
  }
});

test('media that was not sent is said to be, also when the key is repeated', async () => {
  /** Takes no file, as a network does whose file cannot be read. */
  class Refusing extends MemoryChannel {
    override send(request: SendRequest) {
      request.onFile?.(request.payload.mediaUrl ?? '', 'The address is private');
      return super.send(request);
    }
  }
  const home = await MethodsHome.open({ channels: [new Refusing({ name: 'telegram' })] });
  const mediaUrl = 'https://127.0.0.1/a.png';
  const both = { to: 'telegram:777', message: 'See', mediaUrl, idempotencyKey: 'm1' };
  // There is a session for it.
  await home.say('hi', 'agent:main:main');
  const sent = await home.ask('send', both);
  const { messages } = await home.ask('sessions.get', { key: 'main' });
  expect(JSON.stringify(messages.at(-1))).toContain('"See"');
  expect(JSON.stringify(messages)).not.toContain('a.png');
  const answer = { runId: 'm1', messageId: expect.any(String), channel: 'telegram' };
  expect(sent).toEqual({ ...answer, mediaError: 'The address is private' });
  expect(await home.ask('send', both)).toEqual(sent);
  const alone = { to: 'telegram:777', mediaUrl, idempotencyKey: 'm2' };
  const refused = {
    code: 'UNAVAILABLE',
    message: 'OutboundDeliveryError: the media was not sent: The address is private',
    details: { code: 'OUTBOUND_MEDIA_NOT_SENT', messageId: expect.any(String) },
  };
  expect(await home.refusal('send', alone)).toMatchObject(refused);
  expect(await home.refusal('send', alone)).toMatchObject(refused);
  const act = (params: object, idempotencyKey: string) => ({
    ...{ channel: 'telegram', action: 'send', params: { to: '777', ...params }, idempotencyKey },
  });
  expect(await home.ask('message.action', act({ message: 'See', media: mediaUrl }, 'm3'))).toMatchObject({
    ok: true,
    messageId: expect.any(String),
    mediaError: 'The address is private',
  });
  expect(await home.refusal('message.action', act({ media: mediaUrl }, 'm4'))).toMatchObject(refused);

  // The buttons are in the chat: a client that sends them again would have them there twice.
  const channelData = { telegram: { buttons: [[{ text: 'Yes', callback_data: 'yes' }]] } };
  const shown = { messageId: expect.any(String), mediaError: 'The address is private' };
  expect(await home.ask('send', { ...alone, channelData, idempotencyKey: 'm5' })).toMatchObject(shown);
  const pressed = act({ media: mediaUrl, channelData }, 'm6');
  expect(await home.ask('message.action', pressed)).toMatchObject({ ok: true, ...shown });
  const others = { ...alone, channelData: { discord: { embeds: [] } }, idempotencyKey: 'm7' };
  expect(await home.refusal('send', others)).toMatchObject(refused);
});

test('lists that clients need are empty', async () => {
  const home = await MethodsHome.open();
  for (const name of ['plugin.approval.list', 'question.list', 'taskSuggestions.list'])
    expect(await home.ask(name), name).toEqual(FIXTURES[name]![0]!.payload);
  for (const name of ['exec.approval.list', 'openclaw.approval.list'])
    expect(await home.ask(name)).toEqual([]);
});

test('the context of a session is shown, cleaned and restored', async () => {
  const home = await MethodsHome.open({
    config: { agents: { defaults: { tools: ['read'] } } },
    play: ({ prompt }) =>
      prompt.includes('look')
        ? [{ tool: 'read', args: { path: 'notes.txt' } }, { text: 'seen' }]
        : [{ text: 'ok' }],
  });
  mkdirSync(join(home.stateDir, 'workspace'), { recursive: true });
  writeFileSync(join(home.stateDir, 'workspace/notes.txt'), 'words of the harbour '.repeat(2000));
  await home.say('look', DEMO);
  await home.say('and then?', DEMO);
  const before = await home.ask('openbot.context', { key: DEMO });
  expect(before).toMatchObject({ key: DEMO, turns: { total: 2, withTools: 1 }, window: { tokens: 200_000 } });
  const plan = await home.ask('openbot.clean.plan', { key: DEMO, preset: 'extreme' });
  expect(plan.statistics.toolCallsRemoved).toBe(1);
  const run = (await home.services.state.runLock.acquire(DEMO, { waitMs: 0 }))!;
  expect(await home.refusal('openbot.clean.apply', { key: DEMO, preset: 'extreme' })).toMatchObject({
    code: 'UNAVAILABLE',
    details: { reason: 'SESSION_IN_USE' },
  });
  const waiting = home.ask('openbot.clean.apply', { key: DEMO, preset: 'extreme', whenIdle: true });
  await run.release();
  expect(await waiting).toMatchObject({ ok: true, key: DEMO, changed: true, preset: 'extreme' });
  const after = await home.ask('openbot.context', { key: DEMO });
  expect(after.tokens.context).toBeLessThan(before.tokens.context * 0.75);
  expect(await home.ask('openbot.clean.restore', { key: DEMO })).toMatchObject({ restored: true });
  expect((await home.ask('openbot.context', { key: DEMO })).tokens.context).toBe(before.tokens.context);
  expect((await home.refusal('openbot.context', { key: 'agent:main:nope' })).message).toBe(
    'No session found: agent:main:nope',
  );
});

test('search, inbox, outbox and usage are those of the commands', async () => {
  const home = await MethodsHome.open();
  await home.say('say the lighthouse is lit', DEMO);
  const { hits, more } = await home.ask('openbot.search', {
    query: 'light*',
    role: 'assistant',
    since: '1h',
  });
  expect(more).toBe(false);
  expect(hits).toMatchObject([{ sessionKey: DEMO, role: 'assistant', snippet: { highlights: [{}] } }]);
  // The answer comes a moment before the message has its end.
  while ((await home.ask('openbot.inbox')).waiting.length > 0) await setImmediate();
  expect(await home.ask('openbot.inbox')).toEqual({ waiting: [], failed: 0 });
  const target = { channel: 'telegram', accountId: 'default', to: '1' };
  const { outbox } = home.services.state;
  await outbox.put([
    { key: 'a', agentId: 'main', sessionKey: DEMO, target, payload: { text: 'lost' }, createdAt: 1 },
    { key: 'b', agentId: 'main', sessionKey: DEMO, target, payload: { text: 'waits' }, createdAt: 1 },
  ]);
  const claim = {
    channel: 'telegram',
    accountId: 'default',
    owner: 'me',
    now: Date.now(),
    leaseMs: 1000,
    limit: 1,
  };
  await outbox.claim(claim);
  await outbox.dead('a', 'me', { error: 'no such chat', at: Date.now() });
  const { letters, counts } = await home.ask('openbot.outbox');
  expect(letters).toMatchObject([{ text: 'lost', error: 'no such chat' }]);
  expect(counts).toMatchObject({ dead: 1, waiting: 1 });
  expect((await home.refusal('openbot.outbox.retry', { ids: [99] })).details).toEqual({
    reason: 'LETTER_NOT_FOUND',
  });
  expect((await home.refusal('openbot.outbox.retry', {})).message).toBe('Either ids or all is required');
  expect(await home.ask('openbot.outbox.retry', { all: true })).toEqual({ retried: [letters[0].id] });
  const { letters: all } = await home.ask('openbot.outbox', { all: true });
  expect(await home.ask('openbot.outbox.drop', { ids: all.map(({ id }: Json) => id) })).toEqual({
    dropped: expect.arrayContaining(all.map(({ id }: Json) => id)),
  });
  const usage = await home.ask('openbot.usage', { by: 'session', timezone: 'UTC' });
  expect(usage).toMatchObject({ sessions: [{ sessionKey: DEMO }], totals: expect.any(Object) });
  expect((await home.refusal('openbot.usage', { timezone: 'Nowhere' })).message).toContain('Nowhere');
});
