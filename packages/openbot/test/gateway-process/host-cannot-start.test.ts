/** The process of agents ends, and cannot be begun again at once. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { openGateway } from '../../src/gateway/open-gateway.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { COMMAND_METHOD, type GatewayState } from '../../src/gateway-client/contract.ts';
import { askReadiness } from '../../src/gateway-process/readiness.ts';
import { HostPlace } from '../agent-host/host-place.ts';
import { type Json, openClient, TOKEN } from '../gateway/test-server.ts';
import { runGateway } from '../setup/run-gateway.ts';

function openSilent(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  afterTest(() => void socket.destroy());
  return new Promise((resolve) => socket.on('error', () => {}).once('connect', () => resolve(socket)));
}

function makePlace(): HostPlace {
  const place = new HostPlace({ agents: { defaults: { model: 'script/play' } } });
  place.writeScript('play', { turns: [{ when: '.', steps: [{ text: 'Heard {{prompt}}' }] }] });
  return place;
}

test('while the process of agents cannot be started, the gateway says so, and answers once it can', async () => {
  const place = makePlace();
  const { stateDir } = place;
  const env: Record<string, string | undefined> = { ...place.env };
  const config = await watchConfig(stateDir, env, { report: () => {} });
  const gateway = await openGateway({
    ...{ stateDir, env, config, port: 0, host: '127.0.0.1' },
    tokens: () => ({ token: TOKEN, agentTokens: {} }),
    log: (line) => void place.log.push(line),
  });
  afterTest(() => {
    config.close();
    return gateway.close({ reason: 'end of the test', graceMs: 0 });
  });
  const client = await openClient(gateway);
  const ask = async (method: string, params: object = {}): Promise<Json> => {
    const { payload, error } = await client.request(method, params);
    return error ?? payload;
  };
  // More than a process may be given (E2BIG).
  env.TOO_LONG = 'x'.repeat(4 * 1024 * 1024);
  const answer = ask('agent', { message: 'one', idempotencyKey: 'k1', agentId: 'main' });
  const reason = expect.stringMatching(/^it cannot be started: spawn E2BIG$/);
  const isDown = async () => (await ask('health')).agentHost.state === 'down';
  while (!(await isDown())) await sleep(5);
  expect(await askReadiness(gateway.url)).toMatchObject({ ready: false, failing: ['agent-host'] });
  expect(await ask('health')).toMatchObject({ ok: false, agentHost: { reason } });
  expect(await ask('status')).toMatchObject({ agentHost: { reason } });
  expect(place.log).toContainEqual(expect.stringContaining('E2BIG'));

  delete env.TOO_LONG;
  expect(await answer).toMatchObject({ status: 'accepted' });
  expect(await ask('agent.wait', { runId: 'k1', timeoutMs: 60_000 })).toMatchObject({ status: 'ok' });
  expect(await askReadiness(gateway.url)).toMatchObject({ ready: true, failing: [] });
  expect(await ask('health')).toMatchObject({ ok: true, agentHost: { state: 'up' } });
});

test('strangers who hold every connection keep the gateway from nothing that it has to open', async () => {
  const place = makePlace();
  const { child, record } = await runGateway(place, 256);
  const client = await connectGateway(record, 600_000);
  afterTest(() => client.close());
  const say = async (runId: string) => {
    const send = { sessionKey: 'agent:main:main', message: runId, idempotencyKey: runId };
    await client.call('chat.send', send);
    return client.call('agent.wait', { runId, timeoutMs: 60_000 });
  };
  expect(await say('before')).toMatchObject({ status: 'ok' });
  const sockets = await Promise.all(Array.from({ length: 300 }, () => openSilent(record.port)));

  const { host } = (await client.call(COMMAND_METHOD.state, {})) as GatewayState;
  process.kill(host.pid!, 'SIGKILL');
  expect(await say('after')).toMatchObject({ status: 'ok' });
  expect(await client.call(COMMAND_METHOD.state, {})).toMatchObject({ host: { at: 'up', crashes: 1 } });

  for (const socket of sockets) socket.destroy();
  while ((await askReadiness(record.url))?.ready !== true) await sleep(10);
  expect(child.exitCode).toBeNull();
});
