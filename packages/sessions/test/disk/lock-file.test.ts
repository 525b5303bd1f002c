import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { inspectLock } from '../../src/disk/inspect-lock.ts';
import { acquireLock } from '../../src/disk/lock.ts';
import { ownIdentity } from '../../src/disk/process-identity.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const holdLock = new URL('./children/hold-lock.ts', import.meta.url);
const onLinux = process.platform === 'linux';
const NO_START_TIME = 'only Linux shows the start time of a process in /proc';

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json.lock');
});

function setAge(ms: number): void {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
}

describe('the lock file', () => {
  test('says who holds it, in the fields of OpenClaw and ours', async () => {
    const lock = await acquireLock(path, { maxHoldMs: 300_000 });
    const record = JSON.parse(readFileSync(path, 'utf8'));
    expect(record).toMatchObject({
      pid: process.pid,
      maxHoldMs: 300_000,
      host: hostname(),
      token: lock.token,
    });
    expect(record.starttime).toBe(ownIdentity().starttime);
    expect(new Date(record.createdAt).toISOString()).toBe(record.createdAt);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(inspectLock(path)?.holder).toMatchObject({ pid: process.pid, token: lock.token });
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
    expect(inspectLock(path)?.holder).toBeUndefined();
  });

  test('is made in a folder that does not exist yet', async () => {
    const deep = join(folder, 'agents', 'main', 'a.lock');
    const lock = await acquireLock(deep);
    expect(statSync(join(folder, 'agents')).mode & 0o777).toBe(0o700);
    await lock.release();
  });

  test('cannot be made if a file has the name of its folder', async () => {
    writeFileSync(join(folder, 'agents'), '');
    await expect(acquireLock(join(folder, 'agents', 'a.lock'))).rejects.toMatchObject({
      code: 'LOCK_FAILED',
    });
  });

  test('refuses times that are no times', async () => {
    await expect(acquireLock(path, { timeoutMs: Number.NaN })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await expect(acquireLock(path, { staleMs: -1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('waiting', () => {
  test('callers in one process come in the order they asked', async () => {
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const lock = await acquireLock(path);
        order.push(index);
        await sleep(Math.random());
        await lock.release();
      }),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test('two spellings of one path are one lock', async () => {
    const lock = await acquireLock(path);
    const other = acquireLock(join(folder, '..', folder.split('/').at(-1) ?? '', 'sessions.json.lock'));
    let entered = false;
    void other.then(() => {
      entered = true;
    });
    await sleep(60);
    expect(entered).toBe(false);
    await lock.release();
    await (await other).release();
  });

  test('the timeout names holder, host, time and path', async () => {
    const child = startChild(holdLock, [path]);
    await child.printed('held');
    const failure = await acquireLock(path, { timeoutMs: 80 }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(failure.message).toContain(path);
    expect(failure.message).toContain(`process ${child.process.pid}`);
    expect(failure.message).toContain(hostname());
    expect(failure.message).toMatch(/since \d{4}-\d\d-\d\dT/);
    if (onLinux) expect(failure.message).toContain('hold-lock.ts');
    child.process.stdin?.end();
    await child.ended;
  });

  test('a caller in the queue of its own process times out too', async () => {
    const lock = await acquireLock(path);
    await expect(acquireLock(path, { timeoutMs: 30 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      message: expect.stringContaining('this process'),
    });
    await lock.release();
    await (await acquireLock(path, { timeoutMs: 0 })).release();
  });

  test('ends when it is aborted, in the queue and at the disk', async () => {
    const child = startChild(holdLock, [path]);
    await child.printed('held');
    const stop = new AbortController();
    const atDisk = acquireLock(path, { signal: stop.signal });
    const inQueue = acquireLock(path, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 40);
    await expect(atDisk).rejects.toThrow('enough');
    await expect(inQueue).rejects.toThrow('enough');
    await expect(acquireLock(path, { signal: stop.signal })).rejects.toThrow('enough');
    child.process.stdin?.end();
    await child.printed('released');
    await (await acquireLock(path)).release();
  });

  test('another process gets its turn from one that never pauses', async () => {
    const child = startChild(new URL('./children/hog-lock.ts', import.meta.url), [path]);
    await child.printed('started');
    for (let turn = 0; turn < 5; turn++) await (await acquireLock(path)).release();
    child.process.stdin?.end();
    expect(await child.ended).toBe(0);
  });
});

describe('a lock that was left behind', () => {
  test('by a killed process is taken over at once', async () => {
    const child = startChild(holdLock, [path]);
    await child.printed('held');
    child.process.kill('SIGKILL');
    await child.ended;
    const lock = await acquireLock(path, { timeoutMs: 0 });
    expect(inspectLock(path)?.holder.token).toBe(lock.token);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('by a process whose pid now belongs to another is taken over at once', async ({ skip }) => {
    if (!onLinux) skip(NO_START_TIME);
    const { starttime = 0 } = ownIdentity();
    const createdAt = new Date().toISOString();
    writeFileSync(
      path,
      JSON.stringify({ pid: process.pid, createdAt, maxHoldMs: 300_000, starttime: starttime - 7 }),
    );
    await (await acquireLock(path, { timeoutMs: 0 })).release();
  });

  test.each(['', 'not json', '123', 'null', '{"pid":"x"}', `{"pid":${process.pid}}`, '{"pid":999999999}'])(
    'by a program that left %j counts by age alone',
    async (content) => {
      writeFileSync(path, content);
      await expect(acquireLock(path, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      expect(readFileSync(path, 'utf8')).toBe(content);
      setAge(31_000);
      await (await acquireLock(path, { timeoutMs: 1200 })).release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('on another host counts by age alone', async () => {
    const record = {
      ...ownIdentity(),
      pid: 1,
      host: 'elsewhere.example',
      token: 't',
      createdAt: '2026-01-01',
    };
    writeFileSync(path, JSON.stringify(record));
    await expect(acquireLock(path, { timeoutMs: 30 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      message: expect.stringContaining('elsewhere.example'),
    });
    setAge(31_000);
    await (await acquireLock(path, { timeoutMs: 1200 })).release();
  });

  test('with a promised time and no start time is left alone until that time is over', async () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, createdAt: '2026-01-01', maxHoldMs: 300_000 }));
    setAge(200_000);
    await expect(acquireLock(path, { timeoutMs: 40 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    setAge(301_000);
    await (await acquireLock(path, { timeoutMs: 1200 })).release();
  });

  test('before the clock went back is taken over', async () => {
    writeFileSync(path, '');
    setAge(-3_600_000);
    await (await acquireLock(path, { timeoutMs: 1200 })).release();
  });
});

describe('a lock that is held', () => {
  test('by a live process is never taken, however old', async ({ skip }) => {
    if (!onLinux) skip(NO_START_TIME);
    const { pid, starttime } = ownIdentity();
    const record = JSON.stringify({ pid, createdAt: '2020-01-01T00:00:00.000Z', maxHoldMs: 1000, starttime });
    writeFileSync(path, record);
    setAge(86_400_000);
    await expect(acquireLock(path, { timeoutMs: 100, staleMs: 1 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
    expect(readFileSync(path, 'utf8')).toBe(record);
  });

  test('by a program that makes it exclusively and removes it is waited for', async () => {
    writeFileSync(path, '', { flag: 'wx' });
    setTimeout(() => rmSync(path), 60);
    const lock = await acquireLock(path);
    expect(() => writeFileSync(path, '', { flag: 'wx' })).toThrow('EEXIST');
    await lock.release();
    writeFileSync(path, '', { flag: 'wx' });
  });

  test('as a folder is never taken away', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), 'x');
    setAge(86_400_000);
    await expect(acquireLock(path, { timeoutMs: 40, staleMs: 1 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
    expect(readdirSync(path)).toEqual(['inside']);
  });

  test('for long stays fresh', async () => {
    const lock = await acquireLock(path, { staleMs: 90 });
    const before = statSync(path, { bigint: true }).mtimeNs;
    while (statSync(path, { bigint: true }).mtimeNs === before) await sleep(5);
    expect(inspectLock(path)?.holder.token).toBe(lock.token);
    await lock.release();
  });

  test('keeps its owner when it was replaced: a process releases only its own lock', async () => {
    const lock = await acquireLock(path, { staleMs: 60 });
    rmSync(path);
    writeFileSync(path, 'somebody else');
    expect(lock.isHeld()).toBe(false);
    while (!lock.signal.aborted) await sleep(5);
    expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    await lock.release();
    expect(readFileSync(path, 'utf8')).toBe('somebody else');
  });

  test('is let go when its time is over', async () => {
    const lock = await acquireLock(path, { maxHoldMs: 20 });
    const next = await acquireLock(path);
    expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    expect([lock.isHeld(), next.isHeld()]).toEqual([false, true]);
    await lock.release();
    expect(next.isHeld()).toBe(true);
    await next.release();
    await next.release();
  });

  test('can be released although another program changed its mode', async () => {
    const lock = await acquireLock(path);
    chmodSync(path, 0o444);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
