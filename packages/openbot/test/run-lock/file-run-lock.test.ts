import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { programOf } from '../../../../test/setup/programs.ts';
import { startChild } from '../../../sessions/test/setup/child.ts';
import { openFileRunLock } from '../../src/run-lock/files/file-run-lock.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { describeRunLockContract } from './run-lock-contract.ts';

const KEY = 'agent:work:telegram:dm:42';
const CHILD = pathToFileURL(programOf(import.meta.dirname, 'children/hold-run.ts'));

describeRunLockContract('file', () => openFileRunLock(makeTempFolder()));

describe('between processes', () => {
  const startHolder = async (stateDir: string) => {
    const child = startChild(CHILD, [stateDir, KEY]);
    await child.printed('held');
    return child;
  };

  test('one run at a time; the next one begins when the first has ended', async () => {
    const stateDir = makeTempFolder();
    const locks = openFileRunLock(stateDir);
    const child = await startHolder(stateDir);
    expect(await locks.acquire(KEY, { waitMs: 0 })).toBeUndefined();
    const holder = await locks.holder(KEY);
    expect(holder?.isOwn).toBe(false);
    expect(holder?.description).toContain(`process ${child.process.pid}`);
    const waiting = locks.acquire(KEY, { waitMs: 60_000 });
    child.process.stdin?.end();
    const held = await waiting;
    expect(held?.isHeld()).toBe(true);
    await held?.release();
  });

  test('a run of a process that was killed holds nothing', async () => {
    const stateDir = makeTempFolder();
    const locks = openFileRunLock(stateDir);
    const child = await startHolder(stateDir);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(await locks.holder(KEY)).toBeUndefined();
    const held = await locks.acquire(KEY, { waitMs: 0 });
    expect(held?.isHeld()).toBe(true);
    await held?.release();
  });

  test('a run that is days old, as after a sleep of the machine, is still one', async () => {
    const stateDir = makeTempFolder();
    const locks = openFileRunLock(stateDir);
    await startHolder(stateDir);
    const folder = join(stateDir, 'run-locks');
    const [file] = readdirSync(folder);
    const longAgo = new Date(Date.now() - 3 * 86_400_000);
    utimesSync(join(folder, file!), longAgo, longAgo);
    expect(await locks.acquire(KEY, { waitMs: 1500 })).toBeUndefined();
    expect(await locks.holder(KEY)).toBeDefined();
  });

  test('a run whose lock was removed is told so', async () => {
    const stateDir = makeTempFolder();
    const locks = openFileRunLock(stateDir);
    const held = await locks.acquire(KEY, { waitMs: 0 });
    const folder = join(stateDir, 'run-locks');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    rmSync(folder, { recursive: true });
    expect(held?.isHeld()).toBe(false);
    await held?.release();
  });

  test('closing lets go of everything', async () => {
    const stateDir = makeTempFolder();
    const locks = openFileRunLock(stateDir);
    const held = await locks.acquire(KEY, { waitMs: 0 });
    await locks.close();
    expect(held?.isHeld()).toBe(false);
    expect(readdirSync(join(stateDir, 'run-locks'))).toEqual([]);
  });
});
