/** A gateway in a process of its own, with a model that answers at once, and a plain client of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, makeEntry } from './store-fixture.ts';

/** As `openbot gateway start` has it. */
export const NODE_FLAGS = ['--max-semi-space-size=2'];
const LAUNCHER = join(import.meta.dirname, '../packages/openbot/bin/openbot.js');
const CONFIG = {
  agents: { defaults: { model: 'script/instant', userTimezone: 'UTC' }, maxConcurrentRuns: 50 },
  messages: { queue: { mode: 'followup', debounceMs: 0, cap: 1000 } },
};
const SCRIPT = { turns: [{ when: '.', steps: [{ text: 'An answer to {{prompt}}' }] }] };

export interface BenchGateway {
  readonly client: GatewayBenchClient;
  /** Of the gateway first, then of the processes that it started. */
  pids(): number[];
  close(): Promise<void>;
}

/**
 * @param stateDir a folder without a configuration
 * @param settings beside those of a model that answers at once
 */
export async function startBenchGateway(stateDir: string, settings: object = {}): Promise<BenchGateway> {
  const token = randomBytes(24).toString('hex');
  const port = await findPort();
  await mkdir(join(stateDir, 'scripts'), { recursive: true, mode: 0o700 });
  await writeFile(join(stateDir, 'openbot.json'), JSON.stringify({ ...CONFIG, ...settings }));
  await writeFile(join(stateDir, 'scripts', 'instant.json'), JSON.stringify(SCRIPT));
  const args = ['gateway', 'run', '--port', String(port), '--token', token];
  const env = { ...process.env, HOME: stateDir, OPENBOT_STATE_DIR: stateDir };
  const child = spawn(process.execPath, [...NODE_FLAGS, LAUNCHER, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await untilReady(child, `http://127.0.0.1:${port}/readyz`);
  const client = await GatewayBenchClient.open(`ws://127.0.0.1:${port}`, token);
  return {
    client,
    pids: () => processesOf(child.pid!),
    close: async () => {
      client.close();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode}`);
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(20);
  }
}

/** Places so many sessions of about 1 KB each, of which the newest have transcripts. Returns the path of the store. */
export async function placeSessions(stateDir: string, count: number, transcripts = 0): Promise<string> {
  const folder = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(folder, { recursive: true });
  const entries = Array.from({ length: count }, (_, index) => {
    const { sessionFile: _file, ...entry } = makeEntry(index);
    return [keyOf(index), entry] as const;
  });
  for (const [, { sessionId, updatedAt }] of entries.slice(count - transcripts)) {
    const lines = [
      { type: 'session', id: sessionId, timestamp: new Date(updatedAt).toISOString(), cwd: '/' },
      ...Array.from({ length: 40 }, (_, at) => ({
        type: 'message',
        id: `m${at}`,
        message: {
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: [{ type: 'text', text: `${at} `.repeat(300) }],
        },
      })),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(folder, `${sessionId}.jsonl`), text);
  }
  const path = join(folder, 'sessions.json');
  await writeFile(path, JSON.stringify(Object.fromEntries(entries), null, 2));
  return path;
}

const read = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');

/** Until a process without work has given back what its work took. */
export const SETTLE_MS = 15_000;

/** A process and all that it started. Linux alone. */
export function processesOf(pid: number): number[] {
  const children = read(pid, `task/${pid}/children`).split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => processesOf(Number(child)))];
}

/** Bytes that the processes do not share with others, and a fair part of what they do: Node's own code is in memory once. */
export function memoryOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + kilobytes(read(pid, 'smaps_rollup'), 'Pss') * 1024, 0);
}

/** Resident bytes of each, with what they share. */
export function residentOf(pids: readonly number[], field = 'VmRSS'): number[] {
  return pids.map((pid) => kilobytes(read(pid, 'status'), field) * 1024);
}

/** The same for people, and how much it is together on a machine where nothing else shares with them, for people. */
export function describeMemory(pids: readonly number[]): string {
  const own = residentOf(pids, 'RssAnon').reduce((sum, bytes) => sum + bytes);
  const alone = own + Math.max(...residentOf(pids, 'RssFile'));
  return `resident: ${residentOf(pids).map(megabytes).join(' + ')}; ${megabytes(alone)} where no other process runs Node`;
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
}

/** Processor time of each since it began, in ms. */
export function processorTimesOf(pids: readonly number[]): number[] {
  return pids.map((pid) => {
    const fields = read(pid, 'stat').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  });
}

const TICK_MS = 10;

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** What else the machine did: processes that wanted a processor, of the last minute. */
export const machineLoad = () => `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors`;

/** Begins to count the time in which other machines had the processors of this one. Returns how much it was, for people. Linux alone. */
export function countStolenTime(): () => string {
  const readTimes = () =>
    readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/ +/).slice(1, 9).map(Number);
  const before = readTimes();
  return () => {
    const spent = readTimes().map((ticks, at) => ticks - before[at]!);
    const all = spent.reduce((sum, ticks) => sum + ticks);
    return `${((spent[7]! / all) * 100).toFixed(0)}% of the time stolen by other machines`;
  };
}

interface Frame {
  readonly type: 'res' | 'event';
  readonly id?: string;
  readonly ok?: boolean;
  readonly payload?: { readonly runId?: string; readonly state?: string };
  readonly error?: { readonly message: string };
  readonly event?: string;
}

interface FollowedRun {
  onDelta?(): void;
  onEnd(state: string): void;
}

/** Speaks the protocol as far as turns need it. */
export class GatewayBenchClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, { resolve(frame: Frame): void }>();
  readonly #runs = new Map<string, FollowedRun>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(String(data)) as Frame);
  }

  static async open(url: string, token: string): Promise<GatewayBenchClient> {
    const socket = new WebSocket(url);
    // The challenge comes first.
    await new Promise((resolve, reject) => {
      socket.onmessage = resolve;
      socket.onerror = () => reject(new Error(`Cannot connect to ${url}`));
    });
    const client = new GatewayBenchClient(socket);
    await client.call('connect', {
      minProtocol: 4,
      maxProtocol: 4,
      client: { id: 'gateway-client', version: '1.0.0', platform: process.platform, mode: 'backend' },
      role: 'operator',
      scopes: ['operator.admin', 'operator.read', 'operator.write'],
      caps: [],
      auth: { token },
    });
    return client;
  }

  async call(method: string, params: object): Promise<Frame['payload']> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Frame>();
    this.#waiting.set(id, { resolve });
    this.#socket.send(JSON.stringify({ type: 'req', id, method, params }));
    const { ok, payload, error } = await promise;
    if (!ok) throw new Error(`${method}: ${error?.message}`);
    return payload;
  }

  /** One turn. Resolves when the client is told its end, with the time until it was told the first words, in ms. */
  async turn(session: number): Promise<number> {
    const runId = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begun = performance.now();
    let firstWords = Number.NaN;
    this.#runs.set(runId, {
      onDelta: () => {
        firstWords = performance.now() - begun;
      },
      onEnd: (state) => (state === 'final' ? resolve() : reject(new Error(`A turn ended with ${state}`))),
    });
    const sessionKey = `agent:main:bench-${session}`;
    await this.call('chat.send', { sessionKey, message: `message ${runId}`, idempotencyKey: runId });
    await promise;
    return firstWords;
  }

  close(): void {
    this.#socket.close();
  }

  #hear({ type, id = '', event, payload, ...frame }: Frame): void {
    if (type === 'res') {
      this.#waiting.get(id)?.resolve({ type, payload, ...frame });
      this.#waiting.delete(id);
      return;
    }
    if (event !== 'chat' || payload?.runId === undefined) return;
    const run = this.#runs.get(payload.runId);
    if (payload.state === 'delta') {
      run?.onDelta?.();
      delete run?.onDelta;
    } else if (run !== undefined && payload.state !== 'status') {
      this.#runs.delete(payload.runId);
      run.onEnd(String(payload.state));
    }
  }
}
