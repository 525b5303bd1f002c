/** A gateway whose files are damaged, while it runs and before it starts; and what it says of steps that fail. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { findGateway } from '../../src/gateway-process/find-gateway.ts';
import { type AgentBench, makeAgentBench } from '../setup/agent-process.ts';
import { startGatewayOn } from '../setup/gateway-process.ts';
import { runHere } from '../setup/run-here.ts';
import { waitFor } from '../setup/terminal-command.ts';

const storeOf = ({ stateDir }: AgentBench) => join(stateDir, 'agents', 'main', 'sessions', 'sessions.json');
const namesOf = (bench: AgentBench) => readdirSync(dirname(storeOf(bench)));
const transcriptOf = (bench: AgentBench) => bench.store()['agent:main:main']!.sessionFile as string;

const PATIENCE = { timeout: 60_000, interval: 100 };

function open() {
  const bench = makeAgentBench();
  bench.addScript('parrot', Array(4).fill({ steps: [{ text: 'heard' }] }));
  bench.configure({ agents: { defaults: { model: 'script/parrot' } } });
  const say = async (message: string) => (await bench.jsonHere('-m', message, '--json')).meta;
  const health = async (...flags: string[]) => {
    const { code, stdout } = await runHere(['health', '--json', ...flags], {
      env: bench.env,
      cwd: bench.folder,
    });
    return { code, ...(JSON.parse(stdout) as { gateway: { state: string }; checks: unknown }) };
  };
  return { bench, say, health };
}

function readiness(
  url: string,
): Promise<{ readonly status: number | undefined; readonly failing: string[] }> {
  return new Promise((resolve, reject) => {
    get(`${url.replace(/^ws/, 'http')}/readyz`, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode, ...JSON.parse(text) }));
    }).on('error', reject);
  });
}

test('a torn store and a transcript of zeros are mended while the gateway runs, and after it was killed', async () => {
  const { bench, say, health } = open();
  expect(await health()).toMatchObject({ code: 0, gateway: { state: 'not running' } });
  await startGatewayOn(bench);
  expect((await say('one')).outcome).toBe('answered');
  expect(await health('--gateway')).toMatchObject({ code: 0, gateway: { state: 'ready' } });
  const { sessionId } = bench.store()['agent:main:main']!;
  const last = await waitFor(
    () => 'the copy',
    () => statSync(`${storeOf(bench)}.last-good`, { throwIfNoEntry: false }),
  );
  expect(last.mode & 0o777).toBe(0o600);

  writeFileSync(storeOf(bench), readFileSync(storeOf(bench)).subarray(0, 50));
  expect(await say('two')).toMatchObject({ outcome: 'answered', agentMeta: { sessionId } });
  expect(namesOf(bench).filter((name) => name.startsWith('sessions.json.damaged.'))).toHaveLength(1);

  process.kill(findGateway(bench.stateDir)!.pid, 'SIGKILL');
  await expect.poll(async () => (await health()).gateway.state, PATIENCE).toBe('not running');
  writeFileSync(transcriptOf(bench), Buffer.alloc(2000));
  writeFileSync(storeOf(bench), '');
  await startGatewayOn(bench);
  const { stdout: answer, stderr } = await bench.agentHere('-m', 'three');
  expect(answer).toContain('heard');
  expect(stderr).toContain('cannot be read; a new session has begun');
  expect(bench.store()['agent:main:main']!.sessionId).not.toBe(sessionId);
  expect(namesOf(bench).filter((name) => name.startsWith(`${sessionId}.jsonl.damaged.`))).toHaveLength(1);
  const { stdout } = await runHere(['gateway', 'logs'], { env: bench.env, cwd: bench.folder });
  expect(stdout).toContain('did not parse and was made anew: 1 session');
  expect(stdout).toContain('cannot be read; a new session has begun');
});

test('a turn that fails five times in a row is in health, status and /readyz, until it works', async () => {
  const { bench, say, health } = open();
  const { url } = await startGatewayOn(bench);
  await say('one');
  const path = transcriptOf(bench);
  renameSync(path, `${path}.aside`);
  mkdirSync(path);
  // Nobody waits for its answer: the message stays.
  const client = await connectGateway(findGateway(bench.stateDir)!);
  const send = (message: string) =>
    client.call('chat.send', { sessionKey: 'agent:main:main', message, idempotencyKey: message });
  await send('two');
  await expect.poll(() => readiness(url), PATIENCE).toMatchObject({ status: 503, failing: ['turns'] });
  const sick = await health();
  expect(sick).toMatchObject({ code: 1, gateway: { state: 'not ready' } });
  expect(JSON.stringify(sick.checks)).toMatch(
    /A turn of agent:main:main has failed \d+ times in a row since/,
  );
  const status = await runHere(['status'], { env: bench.env, cwd: bench.folder });
  expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain('A turn of agent:main:main has failed');
  rmSync(path, { recursive: true });
  renameSync(`${path}.aside`, path);
  // It is not waited for the next try.
  await send('three');
  await expect.poll(() => readiness(url), PATIENCE).toMatchObject({ status: 200, failing: [] });
  expect(await health()).toMatchObject({ code: 0, gateway: { state: 'ready' } });
  client.close();
});
