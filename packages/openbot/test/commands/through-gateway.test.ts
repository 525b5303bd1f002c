/** Commands that talk or change something, while a gateway runs on the state folder and while none does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { describe, expect, test } from 'vitest';
import { GATEWAY_STATUS_COMMAND } from '../../src/commands/gateway/result-shapes.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { COMMAND_METHOD, type GatewayState } from '../../src/gateway-client/contract.ts';
import { findGateway } from '../../src/gateway-process/find-gateway.ts';
import { openState } from '../../src/state/open-state.ts';
import { openClient } from '../gateway/test-server.ts';
import { outbound } from '../outbox/outbound.ts';
import { type AgentBench, makeAgentBench } from '../setup/agent-process.ts';
import { startGatewayOn } from '../setup/gateway-process.ts';
import { makeOpenbotPlace, type OpenbotPlace } from '../setup/openbot-process.ts';
import { noTerminal, spawnInTerminal } from '../setup/terminal-command.ts';
import { placeToolSession } from '../setup/tool-session.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** What differs from run to run: ids, times, and the folder. */
function normalize(text: string, { folder }: OpenbotPlace): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(folder, '<home>')
    .replace(UUID, (id) => {
      if (!ids.has(id)) ids.set(id, `<id ${ids.size}>`);
      return ids.get(id)!;
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d\.\d{3}Z/g, '<time>')
    .replace(/just now|\d+ \w+ ago/g, '<age>')
    .replace(/"durationMs": \d+/g, '"durationMs": 0')
    .replace(/\d+ B\b|\d+(?:\.\d+)? KB/g, '<size>')
    .replace(/("sizeBefore"|"sizeAfter"): \d+/g, '$1: 0');
}

const SESSION = 'agent:main:work';
const LONG = 'agent:main:long';

/** In their order: each finds what the former ones left. */
const COMMANDS: readonly (readonly string[])[] = [
  ['agent', '-m', 'hello'],
  ['agent', '-m', 'list the files', '--session-key', SESSION, '--json'],
  ['agent', '-m', 'hello', '--agent', 'nobody'],
  ['agent', '-m', 'hello', '--model', 'script/none'],
  ['agent', '-m', 'hello', '--session-id', '00000000-0000-4000-8000-000000000000'],
  ['agent', '-m', '/status', '--session-key', 'agent:main:other'],
  ['sessions', 'label', SESSION, 'day to day'],
  ['sessions', 'set', SESSION, 'think=low', 'verbose=on', '--json'],
  ['sessions', 'set', SESSION, '--unset', 'think'],
  ['clean', 'edit', LONG, '--strip-tools', '--json'],
  ['clean', 'restore', LONG],
  ['clean', 'clone', LONG],
  ['sessions', 'compact', SESSION, '--keep-lines', '3', '--yes', '--json'],
  ['sessions', 'reset', SESSION, '--yes'],
  ['sessions', 'label', 'day to day', '--clear', '--json'],
  ['sessions', 'delete', SESSION, '--yes', '--json'],
  ['sessions', 'delete', SESSION, '--yes'],
  ['sessions', 'prune', '--keep', '1', '--dry-run'],
  ['sessions', 'prune', '--keep', '1', '--yes'],
  ['outbox', 'retry', '1', '--json'],
  ['outbox', 'drop', '--all', '--yes'],
  ['message', 'send', '-t', '42', '-m', 'hello'],
];

async function addDeadLetters({ stateDir }: OpenbotPlace): Promise<void> {
  const state = await openState(stateDir);
  await state.outbox.put(['a', 'b'].map((key) => outbound(key, key)));
  const claim = { channel: 'telegram', accountId: 'default', owner: 'me', now: 1, leaseMs: 9, limit: 3 };
  for (const { key } of await state.outbox.claim(claim))
    await state.outbox.dead(key, 'me', { error: 'no', at: 1 });
  await state.close();
}

test('print the same with a gateway and without, and are done by it', async () => {
  const [alone, served] = [makeOpenbotPlace(), makeOpenbotPlace({}, { isApart: true })];
  await Promise.all([addDeadLetters(alone), addDeadLetters(served)]);
  for (const { stateDir } of [alone, served]) placeToolSession(stateDir, LONG);
  const record = await startGatewayOn(served);
  const client = await openClient(record, { auth: { token: record.token } });
  await client.request('sessions.subscribe');
  const printed = async (place: OpenbotPlace) => {
    const all: object[] = [];
    const run = async (args: readonly string[]) => {
      const { code, stdout, stderr } = await place.run(args);
      const texts = [args.join(' '), stdout, stderr].map((text) => normalize(text, place));
      all.push({ code, texts });
    };
    for (const args of COMMANDS) await run(args);
    const sessions = join(place.stateDir, 'agents/main/sessions');
    const archive = readdirSync(sessions).find((name) => /\.reset\.[^.]*\.\d+Z$/.test(name))!;
    await run(['sessions', 'restore', join(sessions, archive), '--yes', '--json']);
    return all;
  };
  const [without, through] = await Promise.all([printed(alone), printed(served)]);
  expect(through).toEqual(without);

  // What `clean` did in its own process is told as what the others let the gateway do.
  await client.request('status');
  const changes = client.frames
    .filter(({ event, payload }) => event === 'sessions.changed' && payload.reason !== undefined)
    .map(({ payload }) => `${payload.reason} ${payload.sessionKey}`);
  expect(changes.filter((change) => change === `compact ${LONG}`).length).toBe(2);
  expect(changes).toContainEqual(expect.stringMatching(/^create agent:main:clone:/));
  const told = client.frames.flatMap(({ event, payload }) => (event === 'sessions.changed' ? [payload] : []));
  expect(told.find(({ reason }) => reason === 'patch')).toMatchObject({
    sessionKey: SESSION,
    label: 'day to day',
    session: { label: 'day to day' },
  });
  // Each that is gone, once with its id and once without a key; what a dry run names is not gone.
  const removals = told.filter(({ reason }) => reason === 'delete');
  const keys = removals.flatMap(({ sessionKey }) => sessionKey ?? []);
  expect(keys).toContain(SESSION);
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(keys.length);
  expect(removals.map(({ sessionKey, sessionId }) => [sessionKey, typeof sessionId])).toEqual(
    keys.flatMap((key) => [
      [key, 'string'],
      [undefined, 'undefined'],
    ]),
  );

  const status = await served.json<Record<string, unknown>>('gateway', 'status');
  expect(listMisfits(GATEWAY_STATUS_COMMAND, status)).toEqual([]);
  // It runs agents, so that it and not the command has run them.
  expect(status).toMatchObject({
    pid: record.pid,
    ready: true,
    connections: 1,
    host: { at: 'up', crashes: 0 },
  });
  expect(await served.run(['gateway', 'stop', '--json'])).toMatchObject({ code: 0 });
  const audited = readdirSync(join(served.stateDir, 'logs'))
    .map((name) => readFileSync(join(served.stateDir, 'logs', name), 'utf8'))
    .join('');
  expect(audited.match(/openbot\.command\.changeSessions/g)?.length).toBeGreaterThan(6);
});

function openAsking(): { bench: AgentBench; isMade(): boolean } {
  const bench = makeAgentBench();
  bench.configure({
    agents: { defaults: { model: 'script/asks' } },
    tools: { exec: { security: 'allowlist' } },
  });
  bench.addScript('asks', [
    { when: 'wait', steps: [{ text: 'begun' }, { tool: 'exec', args: { command: 'sleep 600' } }] },
    { steps: [{ tool: 'exec', args: { command: 'touch made' } }, { text: 'Result: {{result}}' }] },
  ]);
  return { bench, isMade: () => existsSync(join(bench.stateDir, 'workspace/made')) };
}

describe.skipIf(noTerminal !== undefined)(`in a terminal ${noTerminal ?? ''}`, () => {
  test('permissions are asked there, and Ctrl-C ends the run in the gateway', async () => {
    const { bench, isMade } = openAsking();
    await startGatewayOn(bench);
    const start = (message: string) =>
      spawnInTerminal(['agent', '-m', message], { cwd: bench.folder, env: bench.env });
    const first = start('make it');
    await first.shows(/│ command: touch made\r?\n[\s\S]*Allow exec\? \[y\/N\] /);
    expect(isMade()).toBe(false);
    first.child.stdin!.write('y\r');
    const done = await first.ended;
    expect([done.code, isMade()]).toEqual([0, true]);
    expect(done.stdout).toContain('Command exited with code 0');

    const second = start('wait for it');
    await second.shows(/command: sleep 600[\s\S]*Allow exec\? /);
    second.child.stdin!.write('\x03');
    expect((await second.ended).stdout).toContain('Aborted.');
    const gateway = await connectGateway(findGateway(bench.stateDir)!);
    expect(await gateway.call<GatewayState>(COMMAND_METHOD.state, {})).toMatchObject({ runs: 0 });
    gateway.close();
  });
});

test('--local bypasses the gateway under the same locks: runs of a session come one after another', async () => {
  const bench = makeAgentBench();
  bench.configure({
    agents: { defaults: { model: 'script/slow' } },
    tools: { exec: { security: 'full', ask: 'off' } },
  });
  const command = 'echo begin >> order; sleep 0.2; echo end >> order';
  bench.addScript('slow', [{ steps: [{ tool: 'exec', args: { command } }, { text: 'done' }] }]);
  const { pid } = await startGatewayOn(bench);
  const all = await Promise.all([
    bench.agent(['-m', 'one', '--local']),
    bench.agent(['-m', 'two', '--local']),
    bench.agent(['-m', 'three']),
  ]);
  expect(all.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, 'done\n'],
    [0, 'done\n'],
    [0, 'done\n'],
  ]);
  const order = readFileSync(join(bench.stateDir, 'workspace/order'), 'utf8').trimEnd().split('\n');
  expect(order.slice(0, 6)).toEqual(order.map((_, at) => (at % 2 === 0 ? 'begin' : 'end')).slice(0, 6));

  const gateway = await connectGateway(findGateway(bench.stateDir)!);
  const message = outbound('one', '42');
  const sent = await gateway.call(COMMAND_METHOD.send, { message, waitMs: 0 });
  expect(sent).toMatchObject({ sent: { state: 'waiting' }, mirrored: false });
  gateway.close();
  const state = await openState(bench.stateDir);
  expect(await state.outbox.get('one')).toMatchObject(message);
  await state.close();

  process.kill(pid, 'SIGKILL');
  // What a dead gateway left is not asked any more.
  expect(await bench.agent(['-m', 'four'])).toMatchObject({ code: 0, stdout: 'done\n' });
});
