/** The whole gateway, with the process for what would hold it up. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { openGateway } from '../../src/gateway/open-gateway.ts';
import { takeRun } from '../../src/gateway-worker/take-run.ts';
import { openWorker } from '../../src/gateway-worker/worker.ts';
import { openFileRunLock } from '../../src/run-lock/files/file-run-lock.ts';
import { HostPlace } from '../agent-host/host-place.ts';
import { type Json, openClient, TOKEN } from '../gateway/test-server.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { placeToolSession } from '../setup/tool-session.ts';

const KEY = 'agent:main:main';

/** A state folder with one session that has something to clean, and processes that write down their ids. */
class WorkerPlace extends HostPlace {
  readonly transcript: string;
  readonly #note = join(this.stateDir, 'worker.pid');

  constructor() {
    super();
    this.transcript = placeToolSession(this.stateDir, KEY);
    const preload = `import { writeFileSync } from 'node:fs';
      if (process.argv[2] === 'gateway-worker') writeFileSync(${JSON.stringify(this.#note)}, String(process.pid));`;
    this.more = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
  }

  get pid(): number {
    return Number(readFileSync(this.#note, 'utf8'));
  }
}

async function open(place: WorkerPlace) {
  const { stateDir, env } = place;
  const config = await watchConfig(stateDir, env, { report: () => {} });
  const gateway = await openGateway({
    stateDir,
    env,
    config,
    port: 0,
    host: '127.0.0.1',
    tokens: () => ({ token: TOKEN, agentTokens: {} }),
    log: (line) => void place.log.push(line),
  });
  afterTest(() => {
    config.close();
    return gateway.close({ reason: 'end of the test', graceMs: 0 });
  });
  return gateway;
}

test('complaint 10: the gateway answers while long work is under way, and outlives the process that does it', async () => {
  const place = new WorkerPlace();
  const gateway = await open(place);
  const client = await openClient(gateway);
  const ask = async (method: string, params: object = {}): Promise<Json> => {
    const { payload, error } = await client.request(method, params);
    return error ?? payload;
  };
  expect(await ask('openbot.context', { key: KEY })).toMatchObject({ key: KEY, sessionId: 'one' });
  const before = readFileSync(place.transcript, 'utf8');

  // It can do nothing until it is killed; so each of these is under way for as long as the test likes.
  const { pid } = place;
  process.kill(pid, 'SIGSTOP');
  const answered: string[] = [];
  const long = [
    ask('openbot.usage'),
    ask('openbot.search', { query: 'zebra', tools: true }),
    ask('openbot.context', { key: KEY }),
    ask('openbot.clean.plan', { key: KEY }),
    ask('openbot.clean.apply', { key: KEY }),
  ].map(async (answer) => {
    const result = await answer;
    answered.push('long');
    return result;
  });
  expect(await ask('sessions.list')).toMatchObject({ count: 1 });
  expect(await ask('chat.history', { sessionKey: KEY })).toMatchObject({ totalMessages: 120 });
  expect((await fetch(`${gateway.url.replace('ws:', 'http:')}/healthz`)).status).toBe(200);
  expect(answered).toEqual([]);

  process.kill(pid, 'SIGKILL');
  for (const answer of await Promise.all(long))
    expect(answer).toEqual({
      code: 'UNAVAILABLE',
      message: 'this could not be finished: it ended with SIGKILL',
      retryable: true,
    });
  expect(place.log).toEqual(['The process for long work is gone: it ended with SIGKILL']);
  expect(readFileSync(place.transcript, 'utf8')).toBe(before);

  // The next one is another process, and no lock is left behind.
  const cleaned = await ask('openbot.clean.apply', { key: KEY });
  expect(cleaned).toMatchObject({ ok: true, changed: true, preset: 'default' });
  expect(place.pid).not.toBe(pid);
  expect(readFileSync(place.transcript, 'utf8').length).toBeLessThan(before.length);
  expect(await ask('openbot.clean.restore', { key: KEY })).toMatchObject({ ok: true, restored: true });
  expect(readFileSync(place.transcript, 'utf8')).toBe(before);
  const found = await ask('openbot.search', { query: 'zebra', tools: true, limit: 3 });
  expect(found).toMatchObject({ hits: [{ sessionKey: KEY }, {}, {}], more: true });
  expect(await ask('openbot.usage')).toMatchObject({ sources: ['openbot'] });
  expect(await ask('sessions.compact', { key: KEY, maxLines: 8 })).toMatchObject({
    compacted: true,
    kept: 8,
  });
});

test('a clean goes on in a store that was torn before it, and while it waited for a run', async () => {
  const place = new WorkerPlace();
  const { stateDir } = place;
  const store = join(stateDir, 'agents', 'main', 'sessions', 'sessions.json');
  copyFileSync(store, `${store}.last-good`);
  const client = await openClient(await open(place));
  const clean = async (more: object = {}): Promise<Json> => {
    const { payload, error } = await client.request('openbot.clean.apply', { key: KEY, ...more });
    return error ?? payload;
  };
  writeFileSync(store, '{"half');
  expect(await clean()).toMatchObject({ ok: true, changed: true });

  const ref = { agentId: 'main', sessionKey: KEY };
  const how = { waitMs: 0, signal: new AbortController().signal };
  const run = await takeRun(openFileRunLock(stateDir), ref, how);
  const { pid } = place;
  rmSync(join(stateDir, 'worker.pid'));
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await sleep(10);
  const waiting = clean({ whenIdle: true });
  while (!existsSync(join(stateDir, 'worker.pid'))) await sleep(10);
  writeFileSync(store, '{"half');
  await run.release();
  expect(await waiting).toMatchObject({ ok: true });
});

test('the process begins with the first task, ends without work, and says what went wrong in its own words', async () => {
  const place = new WorkerPlace();
  const { stateDir, env } = place;
  const worker = openWorker({ stateDir, env, log: (line) => void place.log.push(line), restMs: 0 });
  afterTest(() => worker.close(0));
  expect(existsSync(join(stateDir, 'worker.pid'))).toBe(false);
  const missing = join(stateDir, 'agents', 'main', 'sessions', 'none.jsonl');
  await expect(worker.run('context', { path: missing })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: expect.any(String),
  });
  const { pid } = place;
  while (isAlive(pid)) await sleep(10);
  expect(await worker.run('context', { path: place.transcript })).toMatchObject({ sessionId: 'one' });
  expect(place.pid).not.toBe(pid);
  // An end that was asked for is none to report.
  expect(place.log).toEqual([]);
  await worker.close(0);
  await expect(worker.run('context', { path: missing })).rejects.toThrow('the gateway stops');
});

test('a caller has a part of what waits, and a process that says nothing is killed', async () => {
  const place = new WorkerPlace();
  const { stateDir, env } = place;
  const options = { stateDir, env, log: (line: string) => void place.log.push(line), restMs: 600_000 };
  const patience: { silentMs?: number } = {};
  const worker = openWorker(Object.assign(patience, options));
  afterTest(() => worker.close(0));
  const given = { path: place.transcript };
  const { signal } = new AbortController();
  const bound = (connId: string) => ({ caller: { connId, agentIds: new Set(['main']) }, signal });
  const gone = { ...bound('0'), signal: AbortSignal.abort() };
  await expect(worker.run('context', given, gone)).rejects.toThrow('aborted');
  expect(await worker.run('context', given)).toMatchObject({ sessionId: 'one' });
  process.kill(place.pid, 'SIGSTOP');
  patience.silentMs = 3000;
  const waiting = Array.from({ length: 10 }, (_, n) => worker.run('context', given, bound(String(n))));
  const all = Promise.allSettled(waiting);
  await expect(worker.run('context', given, bound('10'))).rejects.toThrow('too much of yours waits');
  for (const one of await all)
    expect(one).toMatchObject({ reason: { message: 'this could not be finished: it said nothing for 3 s' } });
  patience.silentMs = undefined;
  expect(await worker.run('context', given, bound('11'))).toMatchObject({ sessionId: 'one' });
  expect(place.log).toEqual(['The process for long work is killed: it said nothing for 3 s']);
});

test('a session that is being cleaned is said to be', async () => {
  const stateDir = makeTempFolder();
  const ref = { agentId: 'main', sessionKey: KEY };
  const how = { waitMs: 0, signal: new AbortController().signal };
  const run = await takeRun(openFileRunLock(stateDir), ref, how);
  await expect(takeRun(openFileRunLock(stateDir), ref, how)).rejects.toThrow(
    `${KEY} is in use: another clean or change of it is under way. Nothing was changed`,
  );
  await run.release();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
