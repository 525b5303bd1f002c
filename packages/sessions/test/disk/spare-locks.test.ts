import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireLock } from '../../src/disk/lock.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test('a process links the file of a lock again, as another lock', async () => {
  const folder = makeTempFolder();
  const [path, other] = [join(folder, 'a.lock'), join(folder, 'b.lock')];
  const child = startChild(new URL('./children/reuse-locks.ts', import.meta.url), [path, other]);
  await child.printed('ready');
  const lines = child.output().split('\n').slice(0, -2);
  const said = Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ is, ...rest }) => [is, rest]));

  expect(said.first.names.toSorted()).toEqual(['*.tmp', 'a.lock']);
  expect(said.spare).toEqual({ names: ['*.tmp'], isHeld: false });
  // The same file, with a content and rights of its own.
  expect(said.second.ino).toBe(said.first.ino);
  expect(said.second.mode).toBe(0o600);
  expect(said.second.record).toMatchObject({ pid: child.process.pid });
  expect(said.second.record.token).not.toBe(said.first.record.token);
  expect(said.second).toMatchObject({ isFirstHeld: false });
  expect(said.third.ino).not.toBe(said.second.ino);
  // A lock that was lost: its file may be a lock elsewhere, and is not touched again.
  expect(said.lost.names.toSorted()).toEqual(['*.tmp', 'a.lock', 'b.lock.taken']);
  expect(said.fourth.ino).toBe(said.third.ino);
  expect(said.fourth.ino).not.toBe(said.fourth.lostIno);
  expect(said.end.names).toEqual([]);

  // Killed, it leaves a file that the next lock in the folder removes.
  child.process.kill('SIGKILL');
  await child.ended;
  expect(readdirSync(folder)).toHaveLength(2);
  await (await acquireLock(path)).release();
  expect(readdirSync(folder)).toEqual([basename(`${path}.kept`)]);
});

test('what is kept is gone when the process ends', async () => {
  const folder = makeTempFolder();
  const [path, other] = [join(folder, 'a.lock'), join(folder, 'b.lock')];
  const child = startChild(new URL('./children/reuse-locks.ts', import.meta.url), [path, other]);
  await child.printed('ready');
  child.process.stdin!.end('\n');
  expect(await child.ended).toBe(0);
  expect(readdirSync(folder)).toEqual([basename(`${path}.kept`)]);
});

test('a folder that was moved takes its spares along', async () => {
  const path = join(makeTempFolder(), 'locks', 'a.lock');
  const child = startChild(new URL('./children/reuse-locks.ts', import.meta.url), [path, '', 'move']);
  expect(await child.ended).toBe(0);
});
