/** A caller for one agent learns nothing of another one, whatever it asks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { ALL_METHODS } from '../../src/gateway-methods/all.ts';
import { FIXTURES, type Json, MethodsHome } from './methods-home.ts';

/** In everything that is of the other agent. */
const OTHER = 'zebra';
/** There is no such agent. */
const NOBODY = 'quagga';
const TARGETS = { key: `agent:${OTHER}:main`, sessionKey: `agent:${OTHER}:main`, agentId: OTHER };

const CONFIG: BotConfig = {
  agents: {
    defaults: { model: 'script/echo' },
    list: [
      { id: 'main', workspace: '/somewhere/on-this-machine' },
      {
        id: OTHER,
        default: true,
        name: `The ${OTHER}`,
        model: `script/${OTHER}`,
        heartbeat: { every: '5m', target: OTHER },
      },
    ],
  },
  bindings: [
    { agentId: OTHER, match: { channel: 'telegram', accountId: OTHER } },
    { agentId: OTHER, match: { channel: 'telegram', peer: { kind: 'direct', id: '77' } } },
  ],
  channels: { telegram: { accounts: { default: {}, [OTHER]: {} } } },
  session: {
    identityLinks: { [OTHER]: ['telegram:1'] },
    sendPolicy: { rules: [{ action: 'deny', match: { keyPrefix: `agent:${OTHER}:` } }] },
  },
};

async function openBoth(): Promise<MethodsHome> {
  const logPath = join((await MethodsHome.open()).stateDir, 'gateway.log');
  const channels = [new MemoryChannel({ name: 'telegram' })];
  const home = await MethodsHome.open({ config: CONFIG, channels, logPath });
  writeFileSync(
    logPath,
    `a turn of agent:${OTHER}:main began\nagent:main:main: a turn began\nmain: read /on-this-machine\n`,
  );
  writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify(CONFIG));
  mkdirSync(join(home.stateDir, 'scripts'), { recursive: true });
  writeFileSync(join(home.stateDir, `scripts/${OTHER}.json`), '{"turns":[]}');
  await home.say('say the harbour', 'agent:main:talk');
  const paths = { spawnedCwd: '/x/on-this-machine', spawnedWorkspaceDir: '/x/on-this-machine' };
  await home.services.state
    .storeOf('main')
    .update('agent:main:talk', (entry) => ({ ...entry!, ...paths }) as typeof entry);
  // It has read what happened before.
  await home.say('hi', 'agent:main:main');
  await home.say(`say ${OTHER} stripes of the harbour`, `agent:${OTHER}:main`);
  await home.ask('sessions.patch', { key: `agent:${OTHER}:main`, label: `${OTHER} label` });
  const target = { channel: 'telegram', accountId: 'gone', to: OTHER };
  await home.services.state.outbox.put([
    {
      key: OTHER,
      agentId: OTHER,
      sessionKey: `agent:${OTHER}:main`,
      target,
      payload: { text: OTHER },
      createdAt: 1,
    },
  ]);
  await home.services.state.inbox.accept({
    identity: { channel: 'telegram', accountId: OTHER, conversationId: OTHER, messageId: '1' },
    agentId: OTHER,
    sessionKey: `agent:${OTHER}:waiting`,
    ctx: { RawBody: OTHER },
    receivedAt: 1,
  });
  return home;
}

/** Something that fits each param that a method cannot do without. */
const NEEDED: Record<string, Json> = {
  key: 'agent:main:talk',
  sessionKey: 'agent:main:talk',
  keys: ['agent:main:talk'],
  query: 'harbour',
  sessionId: 'a',
  to: '1',
  message: 'hi',
  idempotencyKey: 'k1',
  action: 'send',
  params: { to: '1', message: 'hi' },
  runId: 'r1',
};
const ONE = { agentIds: new Set(['main']) };

/** Those that destroy what the next ones look at come last. */
const METHODS = ALL_METHODS.toSorted(
  (one, other) => Number(one.scope === 'operator.admin') - Number(other.scope === 'operator.admin'),
);

test('no answer has a trace of another agent, or says where something is on the machine', async () => {
  const home = await openBoth();
  const whole =
    JSON.stringify(await home.ask('config.get')) + JSON.stringify(await home.ask('sessions.list'));
  for (const path of ['/somewhere/on-this-machine', home.stateDir]) expect(whole).toContain(path);
  expect(JSON.stringify(await home.ask('sessions.list', {}))).toContain(OTHER);
  for (const method of METHODS) {
    const needed = Object.keys(method.params).filter(
      (name) => name in NEEDED && !method.params[name]!.optional,
    );
    const plain = Object.fromEntries(needed.map((name) => [name, NEEDED[name]]));
    const optional = Object.keys(method.params).filter((name) => name in NEEDED && !(name in plain));
    const { sessionKey: _sessionKey, key: _key, ...unplaced } = plain;
    for (const params of [
      plain,
      { ...plain, all: true, view: 'all', includeDerivedTitles: true, tools: true },
      ...optional.map((name) => ({ ...unplaced, ...plain, [name]: NEEDED[name] })),
      // Without its agent: of all agents, the other one is the default.
      ...['key', 'sessionKey']
        .filter((name) => name in method.params)
        .map((name) => ({ ...plain, [name]: 'talk' })),
      { ...plain, to: 'telegram:77' },
    ]) {
      const answer = await home.call(method.name, params, ONE);
      const text = JSON.stringify(answer).toLowerCase();
      // A token for an agent has no rights of the owner, who is told paths.
      const paths = [dirname(home.stateDir).toLowerCase(), 'on-this-machine'];
      for (const trace of [OTHER, ...(method.scope === 'operator.admin' ? [] : paths)])
        expect(text, `${method.name} ${JSON.stringify(params)}`).not.toContain(trace);
    }
  }
  const { agentHost } = await home.ask('status', {}, ONE);
  expect(agentHost).toEqual({ state: 'up' });
  expect((await home.ask('logs.tail', {}, ONE)).lines).toEqual(['agent:main:main: a turn began']);
  expect(home.subscribed).not.toContain(`agent:${OTHER}:main`);
});

test('what is asked of another agent is answered as for one that does not exist', async () => {
  const home = await openBoth();
  const ask = async (name: string, params: Json, agent: string) => {
    const named = JSON.parse(JSON.stringify(params).replaceAll(OTHER, agent));
    const answer = JSON.stringify(await home.call(name, named, ONE));
    // Times are of the moment, ids random, and a conversation grows.
    return answer
      .replaceAll(/"(?:input|messageId)":"?\w+"?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b\d{13}\b/g, '')
      .replaceAll(agent, 'AGENT')
      .replace(/"(?:ts|snapshotAt|age|durationMs|uptimeMs|hash|\w+RevisionHash)":[^,}]+/g, '');
  };
  let asked = 0;
  for (const { name, params } of METHODS) {
    const fields = Object.keys(params);
    const needed = fields.filter((field) => field in NEEDED && !params[field]!.optional);
    const plain = Object.fromEntries(needed.map((field) => [field, NEEDED[field]]));
    for (const field of fields) {
      const value =
        field in TARGETS
          ? TARGETS[field as keyof typeof TARGETS]
          : {
              keys: [TARGETS.key],
              sessionKeys: [TARGETS.key],
              label: `${OTHER} label`,
              search: OTHER,
              accountId: OTHER,
            }[field];
      if (value === undefined || name === 'sessions.patch') continue;
      // Without a session of its own that it would contradict.
      const { key: _key, sessionKey: _sessionKey, ...rest } = plain;
      const wanted = {
        ...(field === 'agentId' && { ...rest, key: 'talk' }),
        ...(field !== 'agentId' && plain),
        [field]: value,
      };
      expect(await ask(name, wanted, OTHER), `${name} ${JSON.stringify(wanted)}`).toBe(
        await ask(name, wanted, NOBODY),
      );
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(30);
  expect((await home.refusal('sessions.patch', { key: TARGETS.key, pinned: true }, ONE)).message).toBe(
    `Agent "${OTHER}" no longer exists in configuration`,
  );
  expect((await home.ask('sessions.describe', { key: TARGETS.key })).session).toMatchObject({
    agentId: OTHER,
  });
});

test('what only a session, a run or a person of another agent would show is not shown', async () => {
  const home = await openBoth();
  const { session } = await home.ask('sessions.describe', { key: TARGETS.key });
  await home.ask('chat.send', { sessionKey: TARGETS.key, message: 'say it', idempotencyKey: 'their-run' });
  await home.ask('agent.wait', { runId: 'their-run' });
  const pairs = {
    sessionId: [session.sessionId, 'none-such'],
    runId: ['their-run', 'none-such'],
    to: ['telegram:77', 'telegram:78'],
  } as const;
  let asked = 0;
  for (const { name, params } of METHODS) {
    const needed = Object.keys(params).filter((field) => field in NEEDED && !params[field]!.optional);
    const plain = Object.fromEntries(needed.map((field) => [field, NEEDED[field]]));
    for (const [field, [theirs, nobodys]] of Object.entries(pairs)) {
      if (!(field in params)) continue;
      const ask = async (value: string) =>
        JSON.stringify(
          await home.call(name, { ...plain, timeoutMs: 1, idempotencyKey: value, [field]: value }, ONE),
        )
          .replaceAll(value, 'VALUE')
          // Of the moment, or of the length of the conversation.
          .replaceAll(/"\w*[iI]d":"[^"]+"|\d+/g, '');
      expect(await ask(theirs), `${name} ${field}`).toBe(await ask(nobodys));
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(5);
  expect(
    await home.refusal('agent', { message: 'x', idempotencyKey: 'x', sessionId: 'none-such' }, ONE),
  ).toEqual({
    code: 'INVALID_REQUEST',
    message: 'There is no session none-such',
  });
});

test('a caller for one agent writes only to conversations of that agent', async () => {
  const config: BotConfig = {
    agents: { defaults: { model: 'script/echo' }, list: [{ id: 'main', default: true }, { id: OTHER }] },
    bindings: [
      { agentId: OTHER, match: { channel: 'telegram', accountId: OTHER } },
      { agentId: OTHER, match: { channel: 'telegram', peer: { kind: 'direct', id: '77' } } },
      { agentId: OTHER, match: { channel: 'telegram', peer: { kind: 'group', id: '-100' } } },
    ],
    channels: { telegram: { accounts: { default: {}, [OTHER]: {} } } },
  };
  const channels = ['default', OTHER].map((accountId) => new MemoryChannel({ name: 'telegram', accountId }));
  const home = await MethodsHome.open({ config, channels });
  const theirs = [
    { to: '77' },
    { to: 'telegram:77' },
    { to: '-100' },
    { to: 'telegram:group:-100' },
    { to: '5', accountId: OTHER },
  ];
  let id = 0;
  for (const { to, accountId } of theirs) {
    const sent = { agentId: 'main', channel: 'telegram', message: 'hi', idempotencyKey: `s${id++}` };
    expect(await home.refusal('send', { ...sent, to, accountId }, ONE)).toMatchObject({
      message: expect.stringMatching(/^unsupported (?:channel|account): /),
    });
    const said = { message: 'hi', sessionKey: 'agent:main:talk', deliver: true, idempotencyKey: `a${id++}` };
    const replied = { ...said, replyChannel: 'telegram', replyTo: to, replyAccountId: accountId };
    expect(await home.refusal('agent', replied, ONE), to).toEqual({
      code: 'INVALID_REQUEST',
      message: 'There is no channel telegram to deliver to',
    });
  }
  expect(await home.refusal('agent', { message: 'hi', deliver: true, idempotencyKey: 'none' }, ONE)).toEqual({
    code: 'INVALID_REQUEST',
    message: 'The session has no channel to deliver to',
  });
  const own = { message: 'hi', deliver: true, replyChannel: 'telegram', replyTo: '5', idempotencyKey: 'own' };
  expect(await home.ask('agent', own, ONE)).toMatchObject({ status: 'ok' });
  const sent = { to: '5', channel: 'telegram', message: 'hi', idempotencyKey: 'sent' };
  expect(await home.ask('send', sent, ONE)).toMatchObject({ channel: 'telegram' });
});

test('params of a wrong type are refused in the words of OpenClaw', async () => {
  const home = await MethodsHome.open();
  const wrong = FIXTURES['sessions.preview']!.find(({ ok }) => !ok)!;
  expect(await home.refusal('sessions.preview', wrong.params)).toEqual(wrong.error);
  for (const { name, params } of ALL_METHODS) {
    for (const [field, { optional }] of Object.entries(params)) {
      const needed = Object.fromEntries(
        Object.entries(NEEDED).filter(([other]) => other in params && other !== field),
      );
      const bad = await home.call(name, { ...needed, [field]: () => {} });
      const isAny = field === 'threadId';
      if (!isAny)
        expect(bad, `${name} ${field}`).toMatchObject({
          ok: false,
          error: {
            code: 'INVALID_REQUEST',
            message: expect.stringMatching(new RegExp(`^invalid ${name} params: at /${field}: must be `)),
          },
        });
      if (!optional)
        expect(await home.refusal(name, needed), `${name} ${field}`).toMatchObject({
          message: `invalid ${name} params: must have required property '${field}'`,
        });
    }
  }
});
