/** `openbot gateway` and `openbot devices`: the process, and what its settings do. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listMisfits } from '@openbot/sessions/command-line';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { DEVICES_APPROVE, DEVICES_LIST, DEVICES_REVOKE } from '../../src/commands/devices/result-shapes.ts';
import {
  GATEWAY_INSTALL,
  GATEWAY_LOGS,
  GATEWAY_START,
  GATEWAY_STOP,
} from '../../src/commands/gateway/result-shapes.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { openDeviceBook } from '../../src/gateway-devices/device-book.ts';
import { findGateway } from '../../src/gateway-process/find-gateway.ts';
import { makeAgentBench } from '../setup/agent-process.ts';
import { startGatewayOn } from '../setup/gateway-process.ts';
import { makeOpenbotPlace } from '../setup/openbot-process.ts';
import { waitFor } from '../setup/terminal-command.ts';

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function get(port: number, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

const TOKEN = 'a-token-of-the-settings-with-enough-bits-0123456789';
const OTHER_TOKEN = 'what-is-written-there-while-the-gateway-runs-0123';

test('starts, is the only one, has its settings, and stops', async () => {
  const place = makeOpenbotPlace({}, { isApart: true });
  const port = await findFreePort();
  const page = join(place.folder, 'page');
  mkdirSync(page);
  writeFileSync(join(page, 'index.html'), '<html></html>');
  mkdirSync(place.stateDir);
  const configure = (auth: object) =>
    writeFileSync(
      join(place.stateDir, 'openbot.json'),
      JSON.stringify({
        gateway: {
          port,
          auth,
          allowedHosts: ['bot.example'],
          controlUi: { root: page, allowedOrigins: ['https://chat.example'] },
          http: { endpoints: { chatCompletions: { enabled: true }, responses: { enabled: true } } },
          metrics: { enabled: true },
        },
      }),
    );
  configure({ token: TOKEN, agentTokens: { Main: 'a-token-for-main' } });
  // It starts the program that it is itself, which is not this one.
  const { stdout } = await place.start(['gateway', 'start', '--json']).ended;
  const started = JSON.parse(stdout) as { pid: number; port: number };
  afterTest(() => {
    if (findGateway(place.stateDir)?.pid === started.pid) process.kill(started.pid, 'SIGKILL');
  });
  expect(listMisfits(GATEWAY_START, started)).toEqual([]);
  expect(started.port).toBe(port);
  expect(existsSync(join(place.stateDir, 'secrets'))).toBe(false);
  expect(await place.run(['gateway', 'run'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`runs already: process ${started.pid}`),
  });

  const record = findGateway(place.stateDir)!;
  const { token: commandToken } = record;
  for (const token of [TOKEN, commandToken, 'a-token-for-main'])
    (await connectGateway({ ...record, token })).close();
  await expect(connectGateway({ ...record, token: 'another' })).rejects.toThrow(/token/);
  const [whole, bound] = [
    await connectGateway({ ...record, token: TOKEN }),
    await connectGateway({ ...record, token: 'a-token-for-main' }),
  ];
  expect(await whole.call<unknown[]>('system-presence', {})).toHaveLength(3);
  expect(await bound.call('system-presence', {})).toEqual([]);
  const commands = await connectGateway(record);
  const letter = {
    key: 'k',
    agentId: 'main',
    sessionKey: 'agent:main:main',
    target: { channel: 'webchat', accountId: 'gateway', to: 'y' },
    payload: { text: 'x' },
    createdAt: 1,
  };
  const send = (message: object, client = commands) =>
    client.call('openbot.command.send', { message, waitMs: 0 });
  await expect(send(letter, whole)).rejects.toThrow('unknown method: openbot.command.send');
  await expect(send(letter, bound)).rejects.toThrow('missing scope: operator.admin');
  await expect(send({})).rejects.toThrow("at /message: must have required property 'key'");
  await expect(send({ ...letter, payload: { mediaUrl: '../etc/passwd' } })).rejects.toThrow(
    'at /message/payload/mediaUrl: must be an address or an absolute path',
  );
  await expect(send({ ...letter, agentId: '../../evil' })).rejects.toThrow('no longer exists');
  await expect(
    commands.call('openbot.command.say', { id: 's', request: { message: 5, asks: false } }),
  ).rejects.toThrow('at /request/message: must be string');
  const change = (params: object) =>
    commands.call('openbot.command.changeSessions', { agentId: 'main', key: 'agent:main:main', ...params });
  await expect(change({ change: 'set', fields: { sessionFile: '/etc/passwd' } })).rejects.toThrow(
    "a session has no setting with the field 'sessionFile'",
  );
  await expect(change({ change: 'set', fields: { label: ['x'] } })).rejects.toThrow('at /fields/label:');
  await expect(change({ change: 'prune', limits: { maxEntries: '0', dryRun: false } })).rejects.toThrow(
    'at /limits/maxEntries: must be integer',
  );
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const statuses = {
    metrics: await get(port, '/metrics', bearer),
    completions: await get(port, '/v1/chat/completions', bearer),
    responses: await get(port, '/v1/responses', bearer),
    page: await get(port, '/', {}),
    allowedHost: await get(port, '/healthz', { host: 'bot.example' }),
    otherHost: await get(port, '/healthz', { host: 'evil.example' }),
    allowedOrigin: await get(port, '/metrics', { ...bearer, origin: 'https://chat.example' }),
    otherOrigin: await get(port, '/metrics', { ...bearer, origin: 'https://evil.example' }),
  };
  expect(statuses).toEqual({
    metrics: 200,
    completions: 405,
    responses: 405,
    page: 200,
    allowedHost: 200,
    otherHost: 403,
    allowedOrigin: 200,
    otherOrigin: 403,
  });
  configure({ token: OTHER_TOKEN });
  const other = { authorization: `Bearer ${OTHER_TOKEN}` };
  // Failures are limited: it is not asked more often than the limit lets it.
  while ((await get(port, '/metrics', other)) !== 200) await sleep(200);
  for (const token of [TOKEN, 'a-token-for-main'])
    await expect(connectGateway({ ...record, token })).rejects.toThrow(/token/);
  const logs = await place.json<{ lines: string[] }>('gateway', 'logs', '-n', '1');
  expect(listMisfits(GATEWAY_LOGS, logs)).toEqual([]);
  expect(logs.lines).toEqual([expect.stringContaining(`gateway ready on 127.0.0.1:${port}`)]);

  // All that it prints is in the log, which is renamed when it is full: nothing else writes into it.
  expect(readFileSync(join(place.stateDir, 'logs/gateway-output.log'), 'utf8')).toBe('');
  const stopped = await place.json<object>('gateway', 'stop');
  expect(listMisfits(GATEWAY_STOP, stopped)).toEqual([]);
  expect(stopped).toEqual({ was: 'stopped', pid: started.pid, kept: [] });
  expect(await place.run(['gateway', 'status'])).toMatchObject({ code: 0, stdout: 'Gateway not running\n' });
});

test('a run that does not end within graceSeconds is recorded, and goes on with the next start', async () => {
  const bench = makeAgentBench();
  bench.configure({
    agents: { defaults: { model: 'script/long' } },
    tools: { exec: { security: 'full', ask: 'off' } },
    gateway: { graceSeconds: 0 },
  });
  const command = 'test -e begun && echo again >> begun || { echo first > begun; sleep 600; }';
  bench.addScript('long', [{ steps: [{ tool: 'exec', args: { command } }, { text: 'done' }] }]);
  await startGatewayOn(bench);
  const asked = bench.agent(['-m', 'go']);
  const begun = join(bench.stateDir, 'workspace/begun');
  await waitFor(
    () => 'the run',
    () => existsSync(begun) || undefined,
  );
  const place = makeOpenbotPlace({ OPENBOT_STATE_DIR: bench.stateDir });
  const { stdout } = await place.run(['gateway', 'stop']);
  expect(stdout).toMatch(/1 message without an answer is recorded, .*\n {2}agent:main:main\n$/);
  expect((await asked).code).toBe(1);
  await startGatewayOn(bench);
  await waitFor(
    () => 'the answer',
    () => bench.lines().some((line) => JSON.stringify(line).includes('"done"')) || undefined,
  );
});

test('who could be reached by others needs a token that cannot be guessed', async () => {
  const place = makeOpenbotPlace({}, { isApart: true });
  expect(await place.run(['gateway', 'run', '--bind', 'lan', '--token', 'guess me'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('less than 128 bits, and others could reach 0.0.0.0'),
  });
  expect(await place.start(['gateway', 'start', '--bind', 'custom']).ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/it ended with code 1\n.*gateway\.customBindHost is not set/),
  });
  const log = readFileSync(join(place.stateDir, 'logs/gateway.log'), 'utf8');
  expect(log).toMatch(/^\S+Z .*gateway\.customBindHost is not set.*\n$/m);
});

test('a restart keeps port and bind, and ends nothing that could not start again', async () => {
  const place = makeOpenbotPlace({}, { isApart: true });
  const { stdout } = await place.start(['gateway', 'start', '--port', '0', '--bind', 'auto', '--json']).ended;
  const { pid, port } = JSON.parse(stdout) as { pid: number; port: number };
  afterTest(() => {
    const running = findGateway(place.stateDir);
    if (running !== undefined) process.kill(running.pid, 'SIGKILL');
  });
  expect(await place.run(['gateway', 'restart', '--bind', 'lan', '--token', 'short'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('less than 128 bits'),
  });
  writeFileSync(join(place.stateDir, 'openbot.json'), '{');
  expect((await place.run(['gateway', 'restart'])).code).toBe(1);
  expect(findGateway(place.stateDir)?.pid).toBe(pid);
  writeFileSync(join(place.stateDir, 'openbot.json'), '{}');
  expect((await place.start(['gateway', 'restart']).ended).code).toBe(0);
  const next = findGateway(place.stateDir)!;
  expect(next.pid).not.toBe(pid);
  expect(next).toMatchObject({ port, flags: { port, bind: 'auto' } });
  await place.run(['gateway', 'stop']);
});

test('install prints a unit, and writes it', async () => {
  const place = makeOpenbotPlace({}, { isApart: true });
  const printed = await place.json<{ path: string; written: boolean }>('gateway', 'install', '--print');
  expect(listMisfits(GATEWAY_INSTALL, printed)).toEqual([]);
  expect([printed.written, existsSync(printed.path)]).toEqual([false, false]);
  const { stdout } = await place.run(['gateway', 'install']);
  expect(stdout).toContain(`Wrote ${printed.path}`);
  expect(stdout).toMatch(
    /start, stop and restart it with:\n {2}(systemctl --user start|launchctl kickstart) /,
  );
  expect((await place.run(['gateway', 'install'])).stdout).toContain('is there already');
  writeFileSync(printed.path, 'something else');
  expect((await place.run(['gateway', 'install'])).stderr).toContain('It was not changed');
});

test('devices are listed, approved and revoked', async () => {
  const place = makeOpenbotPlace({}, { isApart: true });
  mkdirSync(place.stateDir);
  const facts = {
    deviceId: 'ab12'.repeat(16),
    publicKey: 'key',
    name: 'laptop',
    clientId: 'cli',
    clientMode: 'ui',
  };
  await openDeviceBook(place.stateDir, Date.now).request(facts, ['operator.read'], '192.168.1.7');
  const before = await place.json<{ pending: object[] }>('devices', 'list');
  expect(listMisfits(DEVICES_LIST, before)).toEqual([]);
  expect(before.pending).toMatchObject([facts]);
  expect((await place.run(['devices', 'list'])).stdout).toMatch(
    /ab12ab12ab12 +waits +laptop .*operator\.read\n/,
  );
  expect(listMisfits(DEVICES_APPROVE, await place.json('devices', 'approve', 'ab12'))).toEqual([]);
  expect(await place.json('devices', 'list')).toMatchObject({ approved: [facts], pending: [] });
  expect(listMisfits(DEVICES_REVOKE, await place.json('devices', 'revoke', 'ab12'))).toEqual([]);
  expect(await place.json('devices', 'list')).toEqual({ approved: [], pending: [] });
  expect((await place.run(['devices', 'revoke', 'ab12'])).code).toBe(1);
  // No gateway has seen it.
  const audited = readFileSync(join(place.stateDir, 'logs/gateway-audit.jsonl'), 'utf8').trim().split('\n');
  expect(audited.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'device.approved', about: { id: facts.deviceId, scopes: 'operator.read' } },
    { method: 'device.revoked', about: { id: facts.deviceId } },
  ]);
});
