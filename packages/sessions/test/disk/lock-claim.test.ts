import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HUNT, isTorture, tries } from '../../../../test/setup/hunt.ts';
import { acquireLock } from '../../src/disk/lock.ts';
import {
  claimStaleLock,
  createLockFile,
  formatLockRecord,
  type LockSnapshot,
  readLockSnapshot,
  removeLockFile,
  takeAway,
} from '../../src/disk/lock-file.ts';
import { ownIdentity } from '../../src/disk/process-identity.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json.lock');
});

const deadRecord = JSON.stringify({ ...ownIdentity(), pid: 2 ** 31 - 1, starttime: 1, token: 'gone' });

function snapshot(at = path): LockSnapshot {
  const seen = readLockSnapshot(at);
  if (seen === undefined) throw new Error('no lock');
  return seen;
}

describe('claiming', () => {
  test('takes away the lock that was judged, and leaves nothing', () => {
    writeFileSync(path, deadRecord);
    expect(claimStaleLock(path, snapshot(), 30_000)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves a lock alone that is no longer the one judged', () => {
    writeFileSync(path, deadRecord);
    const judged = snapshot();
    rmSync(path);
    writeFileSync(path, 'fresh');
    expect(claimStaleLock(path, judged, 30_000)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('fresh');
  });

  test('puts back the very file it took by mistake', () => {
    writeFileSync(path, deadRecord);
    const judged = snapshot();
    rmSync(path);
    writeFileSync(path, 'fresh');
    const { ino } = snapshot();
    expect(takeAway(path, judged)).toBe(false);
    expect(snapshot()).toMatchObject({ ino, text: 'fresh' });
    expect(readdirSync(folder)).toEqual(['sessions.json.lock']);
  });

  test('waits while another claimer is at work', () => {
    writeFileSync(path, deadRecord);
    const guard = createLockFile(`${path}.claim`, formatLockRecord('other', new Date(), undefined));
    expect(claimStaleLock(path, snapshot(), 30_000)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(deadRecord);
    if (guard) removeLockFile(guard);
    expect(claimStaleLock(path, snapshot(), 30_000)).toBe(true);
  });

  test('gets past claimers that died at it, one inside another', async () => {
    for (const name of [path, `${path}.claim`, `${path}.claim.claim`]) writeFileSync(name, deadRecord);
    await (await acquireLock(path)).release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('without hard links the lock is still exclusive', () => {
  const refuse = () => {
    throw Object.assign(new Error('not here'), { code: 'EPERM' });
  };
  const lock = createLockFile(path, 'mine', refuse);
  expect(readFileSync(path, 'utf8')).toBe('mine');
  expect(createLockFile(path, 'theirs', refuse)).toBeUndefined();
  if (lock) removeLockFile(lock);
  expect(readdirSync(folder)).toEqual([]);
});

const PROCESSES = isTorture ? 16 : 8;
/** Every other process links the files of its locks again. */
const howOf = (n: number) => (n % 2 === 0 ? 'reuse' : 'new');

describe(`${PROCESSES} processes at one stale lock`, () => {
  const enterOnce = new URL('./children/enter-once.ts', import.meta.url);
  const enterStale = new URL('./children/enter-stale.ts', import.meta.url);

  test('of a dead process, time and again: never two inside', HUNT, async () => {
    const entries = String(tries({ gate: 3, torture: 40 }));
    writeFileSync(path, deadRecord);
    const startAt = String(Date.now() + 1500);
    const witness = join(folder, 'witness');
    const children = Array.from({ length: PROCESSES }, (_, n) =>
      startChild(enterStale, [path, witness, deadRecord, entries, startAt, howOf(n)]),
    );
    const codes = await Promise.all(children.map((child) => child.ended));
    expect(codes).toEqual(Array(PROCESSES).fill(0));
    expect(readdirSync(folder)).toEqual(['sessions.json.lock']);
  });

  test('of a program that did not say who it is: never two inside', HUNT, async () => {
    const entries = String(tries({ gate: 2, torture: 12 }));
    writeFileSync(path, '');
    utimesSync(path, 1, 1);
    const startAt = String(Date.now() + 1500);
    const witness = join(folder, 'witness');
    const children = Array.from({ length: PROCESSES }, (_, n) =>
      startChild(enterOnce, [path, witness, entries, startAt, howOf(n)]),
    );
    const codes = await Promise.all(children.map((child) => child.ended));
    expect(codes).toEqual(Array(PROCESSES).fill(0));
    expect(readdirSync(folder)).toEqual([]);
  });
});
