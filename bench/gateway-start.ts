/** From the start of the gateway's process until `/readyz` says that it is ready, and what it keeps in memory when idle. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';
import { keyOf, makeEntry } from './store-fixture.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
/** As `openbot gateway start` has it. */
const NODE_FLAGS = ['--max-semi-space-size=2'];
const SESSIONS = 5000;
const ROUNDS = 8;
const READY_MS = 400;
const MEMORY_MB = 110;
/** Nothing is collected for a while after the last work. */
const SETTLE_MS = 3000;

async function placeSessions(stateDir: string): Promise<void> {
  const folder = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(folder, { recursive: true });
  const store = Object.fromEntries(
    Array.from({ length: SESSIONS }, (_, index) => [keyOf(index), makeEntry(index)]),
  );
  await writeFile(join(folder, 'sessions.json'), JSON.stringify(store, null, 2));
}

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

/** MB that the process does not share with others, and a fair part of what it does: Node's own code is in memory once. */
function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1024;
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const stateDir = join(folder, 'state');
    await placeSessions(stateDir);
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
        details: `node -e 0 took ${node.toFixed(0)} ms`,
      },
    ];
    if (process.platform !== 'linux') return rows;
    const gateway = await startGateway(stateDir, port);
    // Its process of agents runs, and has answered.
    await runNode([OPENBOT, 'agent', '-m', 'hello'], { env: { HOME: folder, OPENBOT_STATE_DIR: stateDir } });
    await sleep(SETTLE_MS);
    const { host } = JSON.parse(
      (await runNode([OPENBOT, 'gateway', 'status', '--json'], { env: { OPENBOT_STATE_DIR: stateDir } }))
        .stdout,
    ) as { host: { pid: number } };
    const pids = [gateway.pid, host.pid];
    const memory = pids.reduce((sum, pid) => sum + memoryOf(pid), 0);
    const resident = pids.map((pid) => residentOf(pid).toFixed(0)).join(' + ');
    await gateway.stop();
    return [
      ...rows,
      {
        name: 'idle memory of the gateway and its process of agents, 5,000 sessions',
        ours: `${memory.toFixed(0)} MB`,
        peer: `${MEMORY_MB} MB`,
        ratio: memory / MEMORY_MB,
        limit: 1,
        better: 'lower',
        details: `resident, with what both share: ${resident} MB`,
      },
    ];
  });
}
