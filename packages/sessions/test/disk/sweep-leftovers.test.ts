import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeLeftoverName, parseLeftoverName } from '../../src/disk/leftover-name.ts';
import { acquireLock } from '../../src/disk/lock.ts';
import { ownIdentity } from '../../src/disk/process-identity.ts';
import { sweepLeftovers } from '../../src/disk/sweep-leftovers.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});

function leave(name: string, ageMs = 0): string {
  writeFileSync(join(folder, name), 'x');
  const then = new Date(Date.now() - ageMs);
  utimesSync(join(folder, name), then, then);
  return name;
}

const deadPid = String(2 ** 31 - 1);
const ofDeadProcess = (kind: 'tmp' | 'claimed') =>
  makeLeftoverName('sessions.json', kind).replace(`.${process.pid}.`, `.${deadPid}.`);
const foreign = (pid: string | number) => `sessions.json.${pid}.0f0e0d0c-1111-4222-8333-444455556666.tmp`;

test('a name says which process made it', () => {
  expect(parseLeftoverName(makeLeftoverName('sessions.json', 'tmp'))).toEqual({
    kind: 'tmp',
    pid: process.pid,
    maker: ownIdentity(),
  });
  expect(parseLeftoverName(foreign(42))).toEqual({ kind: 'tmp', pid: 42 });
  expect(makeLeftoverName('a', 'tmp')).not.toBe(makeLeftoverName('a', 'tmp'));
});

test('a very long base still makes a legal name', () => {
  const name = makeLeftoverName('é'.repeat(120), 'tmp');
  leave(name);
  expect(parseLeftoverName(name)?.pid).toBe(process.pid);
});

test('what dead processes left goes at once', () => {
  leave(ofDeadProcess('tmp'));
  leave(ofDeadProcess('claimed'));
  expect(sweepLeftovers(folder)).toHaveLength(2);
  expect(readdirSync(folder)).toEqual([]);
});

test('what is in use, or only looks alike, stays', () => {
  const kept = [
    leave(makeLeftoverName('sessions.json', 'tmp'), 86_400_000),
    leave(foreign(process.pid)),
    leave(foreign(deadPid)),
    leave('sessions.json.tmp', 86_400_000),
    leave('notes.claim', 86_400_000),
    leave('sessions.json.12.tmp', 86_400_000),
    leave('a.jsonl', 86_400_000),
  ];
  expect(sweepLeftovers(folder)).toEqual([]);
  expect(readdirSync(folder)).toEqual(kept.toSorted());
});

test('what another program left goes when its pid is gone for a minute, or after an hour', () => {
  leave(foreign(deadPid), 61_000);
  leave(foreign(process.pid).replace('0f0e', 'ffff'), 3_700_000);
  leave(foreign(process.pid), 61_000);
  expect(sweepLeftovers(folder)).toHaveLength(2);
  expect(readdirSync(folder)).toEqual([foreign(process.pid)]);
});

test('the next lock sweeps', async () => {
  leave(ofDeadProcess('tmp'));
  await (await acquireLock(join(folder, 'other.lock'))).release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a missing folder has nothing to sweep', () => {
  expect(sweepLeftovers(join(folder, 'nowhere'))).toEqual([]);
});
