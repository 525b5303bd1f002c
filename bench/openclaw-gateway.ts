/** OpenClaw's own gateway as a process, with a model that answers at once, where `npm run interop` has installed it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SessionEntry } from '@openbot/sessions';
import { openOpenclawDatabaseStore } from '@openbot/sessions/openclaw-database';
import { INTEROP_CACHE } from '../interop/install-package.ts';
import { makeOpenclawHome, type OpenclawHome, TOKEN } from '../interop/openclaw-home.ts';
import { startChatApi } from '../test/imitations/chat-api.ts';
import { GatewayBenchClient, processesOf } from './gateway-fixture.ts';
import type { BenchRow } from './measure.ts';
import { keyOf, makeEntry } from './store-fixture.ts';

const VERSION = '2026.9.6';
const PROGRAM = join(INTEROP_CACHE, `openclaw-${VERSION}/node_modules/openclaw/openclaw.mjs`);
const FIXTURE = fileURLToPath(new URL('../fixtures/openclaw-sqlite/openclaw-agent.sqlite', import.meta.url));
const START_LIMIT_MS = 300_000;

export interface OpenclawGateway {
  readonly client: GatewayBenchClient;
  /** From the start of its process until `/readyz` says that it is ready. ms */
  readonly readyMs: number;
  /** Of the gateway first, then of the processes that it started. */
  pids(): number[];
}

export interface Compared extends Pick<BenchRow, 'name' | 'better'> {
  readonly ours: number;
  readonly openclaw: number;
  show(figure: number): string;
}

/**
 * Rows of our figures against those that `measure` finds; none where it is not installed, which is said.
 * @param sessions that its database has
 */
export async function againstOpenclaw(
  sessions: number,
  measure: (gateway: OpenclawGateway) => Promise<readonly Compared[]>,
): Promise<BenchRow[]> {
  if (!existsSync(PROGRAM)) {
    console.log(
      `note   openclaw ${VERSION} is not installed in ${INTEROP_CACHE}: no figures of its gateway. npm run interop installs it; OPENBOT_INTEROP_CACHE names another folder`,
    );
    return [];
  }
  const model = await startChatApi({ reply: () => ({ text: 'An answer.' }) });
  const home = await makeOpenclawHome({ chatUrl: model.url, messagesUrl: model.url });
  try {
    await prepare(home, sessions);
    const rows = await whileRunning(home, measure);
    return rows.map(({ ours, openclaw, show, ...row }) => ({
      ...row,
      name: `${row.name}, against openclaw ${VERSION}`,
      ours: show(ours),
      peer: show(openclaw),
      ratio: ours / openclaw,
      limit: 1,
    }));
  } catch (error) {
    // Our own figures are there all the same.
    const said = await readFile(home.outputPath, 'utf8').catch(() => '');
    console.log(`note   openclaw ${VERSION}: ${(error as Error).message}. ${said.trim().slice(-500)}`);
    return [];
  } finally {
    await model.close();
    await home.remove();
  }
}

async function prepare({ state }: OpenclawHome, sessions: number): Promise<void> {
  const path = join(state, 'openclaw.json');
  const settings = JSON.parse(await readFile(path, 'utf8'));
  // As ours has it: every turn may run at once, and a log of what went wrong.
  settings.agents.defaults.maxConcurrent = 50;
  settings.logging.level = 'warn';
  await writeFile(path, JSON.stringify(settings));
  const database = join(state, 'agents', 'main', 'agent', 'openclaw-agent.sqlite');
  await mkdir(join(database, '..'), { recursive: true });
  await copyFile(FIXTURE, database);
  const store = openOpenclawDatabaseStore(database);
  await store.updateMany((draft) => {
    for (const { key } of draft.list()) draft.delete(key);
    for (let index = 0; index < sessions; index++) {
      const { sessionFile: _, ...entry } = makeEntry(index);
      draft.set(keyOf(index), entry as unknown as SessionEntry);
    }
  });
  await store.close();
}

async function whileRunning<T>(
  { port, env, workspace, outputPath }: OpenclawHome,
  measure: (gateway: OpenclawGateway) => Promise<T>,
): Promise<T> {
  const output = await open(outputPath, 'w');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'gateway', 'run', '--port', String(port)], {
    cwd: workspace,
    env,
    stdio: ['ignore', output.fd, output.fd],
  });
  const ended = once(child, 'exit');
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`OpenClaw's gateway ended with ${child.exitCode}`);
      if (performance.now() - startedAt > START_LIMIT_MS)
        throw new Error("OpenClaw's gateway does not start");
      await sleep(20);
    }
    const readyMs = performance.now() - startedAt;
    const client = await GatewayBenchClient.open(`ws://127.0.0.1:${port}`, TOKEN);
    try {
      return await measure({ client, readyMs, pids: () => processesOf(child.pid!) });
    } finally {
      client.close();
    }
  } finally {
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(limit);
    await output.close();
  }
}
