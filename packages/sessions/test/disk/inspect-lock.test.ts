import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { inspectLock } from '../../src/disk/inspect-lock.ts';
import { acquireLock } from '../../src/disk/lock.ts';
import { ownIdentity } from '../../src/disk/process-identity.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 's.jsonl.lock');
});

test('no lock: undefined', () => {
  expect(inspectLock(path)).toBeUndefined();
});

test('a lock of this process is held, and gone after its release', async () => {
  const lock = await acquireLock(path);
  expect(inspectLock(path)).toMatchObject({
    held: true,
    holder: { pid: process.pid, token: lock.token },
    description: expect.stringContaining('this process'),
  });
  await lock.release();
  expect(inspectLock(path)).toBeUndefined();
});

test('the lock of a process that ended is not held', async () => {
  const child = startChild(new URL('./children/hold-lock.ts', import.meta.url), [path]);
  await child.printed('held');
  expect(inspectLock(path)).toMatchObject({ held: true, holder: { pid: child.process.pid } });
  child.process.kill('SIGKILL');
  await child.ended;
  expect(inspectLock(path)).toMatchObject({
    held: false,
    liveness: 'dead',
    description: expect.stringContaining('no longer running'),
  });
});

test('a holder on another host cannot be checked: held until the lock is old', () => {
  writeFileSync(path, JSON.stringify({ ...ownIdentity(), host: 'elsewhere' }));
  expect(inspectLock(path)).toMatchObject({ held: true, liveness: 'unknown' });
  utimesSync(path, new Date(0), new Date(0));
  expect(inspectLock(path)).toMatchObject({ held: false, liveness: 'unknown' });
});

test('a folder with the name of a lock is respected', () => {
  mkdirSync(path);
  expect(inspectLock(path)).toMatchObject({ held: true, liveness: 'unknown' });
});
