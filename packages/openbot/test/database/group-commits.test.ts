import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groupCommits } from '../../src/database/group-commits.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** A disk that is told when it is done. */
function open() {
  const path = join(makeTempFolder(), 'commits.sqlite');
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n)');
  const syncs: PromiseWithResolvers<void>[] = [];
  const log = { isInUse: false, emptied: 0 };
  const commits = groupCommits(db, path, {
    sync: () => {
      const one = Promise.withResolvers<void>();
      syncs.push(one);
      return one.promise;
    },
    empty: () => {
      if (log.isInUse) throw new Error('the log is in use');
      log.emptied++;
    },
  });
  const insert = db.prepare('INSERT INTO t VALUES (?)');
  const told: string[] = [];
  const write = (n: number) =>
    commits
      .write(() => insert.run(n))
      .then(
        () => told.push(`${n}`),
        (error: unknown) => told.push(`${n}: ${(error as Error).message}`),
      );
  const read = () =>
    db
      .prepare('SELECT n FROM t ORDER BY n')
      .all()
      .map((row) => row.n);
  return { commits, write, read, told, syncs, log };
}

async function rounds(): Promise<void> {
  for (let n = 0; n < 5; n++) await nextRound();
}

test('a change is told when it is on the disk; what is committed meanwhile shares the next sync', async () => {
  const { commits, write, read, told, syncs } = open();
  void write(1);
  await rounds();
  void write(2);
  await rounds();
  void write(3);
  await rounds();
  expect(read()).toEqual([1, 2, 3]);
  expect(told).toEqual([]);
  expect(syncs).toHaveLength(1);
  let isSettled = false;
  const settled = commits.settled().then(() => {
    isSettled = true;
  });
  syncs[0]!.resolve();
  await rounds();
  expect(told).toEqual(['1']);
  expect(syncs).toHaveLength(2);
  expect(isSettled).toBe(false);
  syncs[1]!.resolve();
  await settled;
  expect(told).toEqual(['1', '2', '3']);
  expect(syncs).toHaveLength(2);
});

test('after a sync that failed nothing is told until the log is empty', async () => {
  const { write, told, syncs, log } = open();
  void write(1);
  await rounds();
  syncs[0]!.reject(new Error('the disk failed'));
  await rounds();
  log.isInUse = true;
  void write(2);
  await rounds();
  log.isInUse = false;
  void write(3);
  await rounds();
  expect(told).toEqual([
    expect.stringMatching(/^1: Cannot write to .*: the disk failed$/),
    expect.stringMatching(/^2: Cannot write to .*: the log is in use$/),
    '3',
  ]);
  expect(log.emptied).toBe(1);
  expect(syncs).toHaveLength(1);
  void write(4);
  await rounds();
  syncs[1]!.resolve();
  await rounds();
  expect(told.at(-1)).toBe('4');
});

test('who tells others of what was read waits for the disk', async () => {
  const { commits, write, syncs } = open();
  await commits.synced();
  void write(1);
  await rounds();
  let isSynced = false;
  const synced = commits.synced().then(() => {
    isSynced = true;
  });
  syncs[0]!.resolve();
  await rounds();
  expect(isSynced).toBe(false);
  syncs[1]!.resolve();
  await synced;
});
