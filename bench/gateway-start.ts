/** From the start of the gateway's process until `/readyz` says that it is ready, and what it keeps in memory when idle. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  describeMemory,
  GatewayBenchClient,
  machineLoad,
  megabytes,
  memoryOf,
  NODE_FLAGS,
  placeSessions,
  SETTLE_MS,
} from './gateway-fixture.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';
import { againstOpenclaw } from './openclaw-gateway.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const SESSIONS = 5000;
const ROUNDS = 8;
const READY_MS = 400;
const IDLE_BYTES = 110e6;

async function startGateway(stateDir: string, port: number) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, OPENBOT, 'gateway', 'run', '--port', String(port)], {
    env: { PATH: process.env.PATH, HOME: stateDir, OPENBOT_STATE_DIR: stateDir },
    stdio: 'ignore',
  });
  while (!(await isReady(port))) await sleep(2);
  const readyMs = performance.now() - startedAt;
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { readyMs, pid: child.pid!, stop };
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/readyz' }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

/** As a client that shows the sessions and is closed again. */
async function askOnce(stateDir: string): Promise<void> {
  const path = join(stateDir, 'gateway.json');
  // It is written when the port answers.
  while (!existsSync(path)) await sleep(2);
  const { url, token } = JSON.parse(await readFile(path, 'utf8')) as { url: string; token: string };
  const client = await GatewayBenchClient.open(url, token);
  await client.call('sessions.list', { includeDerivedTitles: true, includeLastMessage: true });
  client.close();
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const stateDir = join(folder, 'state');
    await placeSessions(stateDir, SESSIONS);
    const port = 20_000 + (process.pid % 20_000);
    let [ready, node] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round++) {
      const gateway = await startGateway(stateDir, port);
      ready = Math.min(ready, gateway.readyMs);
      await gateway.stop();
      node = Math.min(node, (await runNode(['-e', '0'])).ms);
    }
    const rows: BenchRow[] = [
      {
        name: 'openbot gateway run until /readyz, 5,000 sessions',
        ours: `${ready.toFixed(0)} ms`,
        peer: `${READY_MS} ms`,
        ratio: ready / READY_MS,
        limit: 1,
        better: 'lower',
        details: `node -e 0 took ${node.toFixed(0)} ms; ${machineLoad()}`,
      },
    ];
    if (process.platform !== 'linux') return rows;
    const gateway = await startGateway(stateDir, port);
    await askOnce(stateDir);
    await sleep(SETTLE_MS);
    const alone = memoryOf([gateway.pid]);
    const aloneDetails = describeMemory([gateway.pid]);
    // Its process of agents runs, and has answered.
    await runNode([OPENBOT, 'agent', '-m', 'hello'], { env: { HOME: folder, OPENBOT_STATE_DIR: stateDir } });
    const { host } = JSON.parse(
      (await runNode([OPENBOT, 'gateway', 'status', '--json'], { env: { OPENBOT_STATE_DIR: stateDir } }))
        .stdout,
    ) as { host: { pid: number } };
    await sleep(SETTLE_MS);
    const pids = [gateway.pid, host.pid];
    const memory = memoryOf(pids);
    const details = describeMemory(pids);
    await gateway.stop();
    const openclaw = await againstOpenclaw(SESSIONS, async ({ client, readyMs, pids: theirs }) => {
      await client.call('sessions.list', { includeDerivedTitles: true, includeLastMessage: true });
      await sleep(SETTLE_MS);
      return [
        {
          name: 'gateway run until /readyz, 5,000 sessions',
          ours: ready,
          openclaw: readyMs,
          show: (ms) => `${ms.toFixed(0)} ms`,
          better: 'lower',
        },
        {
          name: 'idle memory of the gateway and what it started, 5,000 sessions listed',
          ours: alone,
          openclaw: memoryOf(theirs()),
          show: megabytes,
          better: 'lower',
        },
      ];
    });
    return [
      ...rows,
      {
        name: 'idle memory of the gateway, which has listed its 5,000 sessions',
        ours: megabytes(alone),
        peer: megabytes(IDLE_BYTES),
        ratio: alone / IDLE_BYTES,
        limit: 1,
        better: 'lower',
        details: aloneDetails,
      },
      {
        name: 'the same with its process of agents, which rests two minutes after a turn',
        ours: megabytes(memory),
        peer: megabytes(IDLE_BYTES),
        ratio: memory / IDLE_BYTES,
        limit: 1,
        better: 'lower',
        details,
      },
      ...openclaw,
    ];
  });
}
