/** The whole gateway, with the process of its agents. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { openGateway } from '../../src/gateway/open-gateway.ts';
import { HostPlace } from '../agent-host/host-place.ts';
import { type Frame, type Json, openClient, type TestClient, TOKEN } from './test-server.ts';

const AGENT_TOKEN = 'a-token-for-main';
const CONFIG = {
  agents: { defaults: { model: 'script/play' }, list: [{ id: 'main', default: true }, { id: 'other' }] },
  gateway: { auth: { agentTokens: { main: AGENT_TOKEN } } },
};
const SCRIPT = {
  turns: [
    { when: '^block', steps: [{ blockMs: 4000 }, { text: 'Here again.' }] },
    { when: '^stall', steps: [{ text: 'so far' }, { stall: true as const }] },
    { when: '.', steps: [{ text: 'Heard {{prompt}}' }] },
  ],
};

async function open() {
  const place = new HostPlace(CONFIG);
  place.writeScript('play', SCRIPT);
  const { stateDir, env } = place;
  const config = await watchConfig(stateDir, env, { report: () => {} });
  const gateway = await openGateway({
    stateDir,
    env,
    config,
    port: 0,
    host: '127.0.0.1',
    tokens: () => ({ token: TOKEN, agentTokens: { main: AGENT_TOKEN } }),
    log: () => {},
  });
  afterTest(() => {
    config.close();
    return gateway.close({ reason: 'end of the test', graceMs: 0 });
  });
  return gateway;
}

async function ask(client: TestClient, method: string, params: object = {}): Promise<Json> {
  const { payload, error } = await client.request(method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return payload;
}

const chatOf = (runId: string, state: string) => (frame: Frame) =>
  frame.event === 'chat' && frame.payload.runId === runId && frame.payload.state === state;

test('who looks at it neither wakes its agents nor waits for them; a stop ends runs for their clients', async () => {
  const gateway = await open();
  // It has been looked at once, and then it is blocked, before anybody asks for the state.
  await sleep(50);
  const until200 = performance.now() + 200;
  while (performance.now() < until200);
  const client = await openClient(gateway);
  expect((await client.event('health')).payload).toMatchObject({ ok: true, agentHost: { state: 'resting' } });
  expect(await ask(client, 'channels.status')).toMatchObject({ channelOrder: [] });
  // Nor does who only reads, or reads by single requests.
  const reader = await openClient(gateway, { scopes: ['operator.read'] });
  await ask(reader, 'chat.history', { sessionKey: 'main' });
  const single = await fetch(`${gateway.url.replace('ws', 'http')}/rpc/chat.history`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: '{"sessionKey":"main"}',
  });
  expect(single.status).toBe(200);
  const calm = await ask(client, 'status');
  expect(calm).toMatchObject({ agentHost: { state: 'resting', crashes: 0 } });
  expect(calm.eventLoop.delayMaxMs).toBeGreaterThan(100);
  // A page that opens a conversation does: its next word is answered sooner.
  await ask(client, 'chat.history', { sessionKey: 'main' });
  expect((await ask(client, 'status')).agentHost.state).not.toBe('resting');

  await ask(client, 'chat.send', { sessionKey: 'main', message: 'block', idempotencyKey: 'b' });
  await client.find(chatOf('b', 'status'));
  for (const method of ['status', 'health', 'channels.status']) {
    const answer = ask(client, method);
    const first = await Promise.race([answer, client.find(chatOf('b', 'final'))]);
    expect(first, `${method} before the process answers again`).toBe(await answer);
  }
  await client.find(chatOf('b', 'final'));

  // A token for an agent may write, and what a chat command does needs more.
  const bound = await openClient(gateway, { auth: { token: AGENT_TOKEN } });
  const describe = () => ask(client, 'sessions.describe', { key: 'main' });
  const { session } = await describe();
  const say = async (by: TestClient, message: string) => {
    const { result } = await ask2(by, { message, sessionKey: 'agent:main:main', idempotencyKey: message });
    return result.payloads.map(({ text }: { text: string }) => text).join();
  };
  const command = { message: '/new', sessionKey: 'agent:main:main', idempotencyKey: 'n' };
  expect((await bound.request('agent', command)).error).toMatchObject({
    code: 'FORBIDDEN',
    details: { missingScope: 'operator.admin' },
  });
  expect(await say(bound, 'hello')).toBe('Heard hello');
  expect((await describe()).session.sessionId).toBe(session.sessionId);
  const writer = await openClient(gateway, { scopes: ['operator.write'] });
  await say(writer, '/new again');
  expect((await describe()).session.sessionId).not.toBe(session.sessionId);

  await ask(client, 'chat.send', { sessionKey: 'main', message: 'stall', idempotencyKey: 's' });
  await client.find(chatOf('s', 'delta'));
  await gateway.close({ reason: 'a stop', graceMs: 0 });
  await client.closed;
  const told = client.frames.filter(({ event }) => event === 'chat' || event === 'shutdown').slice(-2);
  expect(told).toMatchObject([
    {
      event: 'chat',
      payload: {
        runId: 's',
        state: 'aborted',
        stopReason: 'restart',
        message: { content: [{ text: 'so far' }] },
      },
    },
    { event: 'shutdown' },
  ]);
});

/** The second response of `agent`. */
async function ask2(client: TestClient, params: object): Promise<Json> {
  const { id } = await client.request('agent', params);
  const { payload, error } = await client.find(
    (frame) => frame.id === id && frame.payload?.status !== 'accepted',
  );
  if (error !== undefined) throw new Error(error.message);
  return payload;
}
