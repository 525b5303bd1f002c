import { cpSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeLeftoverName } from '../../src/disk/leftover-name.ts';
import {
  type OpenclawDatabase,
  openDatabaseForReading,
  openDatabaseForWriting,
  readOpenclawDatabase,
} from '../../src/openclaw-db/open-database.ts';
import { inTransaction } from '../../src/openclaw-db/transaction.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { copyFixture, describeFolder } from './folder-state.ts';

const keepOpen = (path: string, what: string) =>
  startChild(new URL('./children/keep-open.ts', import.meta.url), [path, what]);

const labelOf = ({ db }: Pick<OpenclawDatabase, 'db'>) =>
  db.prepare("SELECT label FROM session_nodes WHERE session_key = 'agent:main:main'").get()?.label;

/** What a writer that was killed leaves, `-wal` and its index, or a journal. */
async function leaveByKill(path: string, what: string): Promise<void> {
  const writer = keepOpen(path, what);
  await writer.printed('ready');
  writer.process.kill('SIGKILL');
  await writer.ended;
}

/** Where copies are made during this test. */
function makeCopyFolder(): string {
  const folder = makeTempFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test('a database that no process has open', () => {
  const { path, folder } = copyFixture();
  const before = describeFolder(folder);
  const during = readOpenclawDatabase(path, (database) => {
    expect(labelOf(database)).toBeNull();
    return describeFolder(folder);
  });
  expect(during).toEqual(before);
  expect(describeFolder(folder)).toEqual(before);
  expect(Object.keys(before)).toEqual(['openclaw-agent.sqlite']);
});

test('a path with characters that mean something in an address', () => {
  const folder = join(makeTempFolder(), 'a %41?mode=rwc#b é');
  mkdirSync(folder);
  const path = join(folder, 'openclaw-agent.sqlite');
  cpSync(copyFixture().path, path);
  const before = describeFolder(folder);
  expect(readOpenclawDatabase(path, labelOf)).toBeNull();
  expect(describeFolder(folder)).toEqual(before);
});

test('a database that a living program writes to: what it committed is seen, and its files stay', async () => {
  const { path, folder } = copyFixture();
  const writer = keepOpen(path, 'committed');
  await writer.printed('ready');
  const before = describeFolder(folder);
  expect(Object.keys(before)).toHaveLength(3);
  expect(readOpenclawDatabase(path, labelOf)).toBe('by another');
  expect(describeFolder(folder)).toEqual(before);
  writer.process.stdin?.end();
  expect(await writer.ended).toBe(0);
  expect(readOpenclawDatabase(path, labelOf)).toBe('by another');
  expect(Object.keys(describeFolder(folder))).toEqual(['openclaw-agent.sqlite']);
});

test('one reading sees one moment while a program writes', async () => {
  const { path } = copyFixture();
  const writer = keepOpen(path, 'committed');
  await writer.printed('ready');
  const other = new DatabaseSync(path);
  const seen = readOpenclawDatabase(path, (database) => {
    const first = labelOf(database);
    other.exec("UPDATE session_nodes SET label = 'later'");
    return [first, labelOf(database)];
  });
  expect(seen).toEqual(['by another', 'by another']);
  expect(readOpenclawDatabase(path, labelOf)).toBe('later');
  other.close();
});

test('the `-wal` and its index of a writer that was killed', async () => {
  const { path, folder } = copyFixture();
  await leaveByKill(path, 'committed');
  const before = describeFolder(folder);
  expect(Object.keys(before)).toHaveLength(3);
  expect(readOpenclawDatabase(path, labelOf)).toBe('by another');
  expect(describeFolder(folder)).toEqual(before);
});

test('a `-wal` without its index, as in a copy of the two files', async () => {
  const { path, folder } = copyFixture();
  await leaveByKill(path, 'committed');
  rmSync(`${path}-shm`);
  const before = describeFolder(folder);
  const copies = makeCopyFolder();
  expect(readOpenclawDatabase(path, labelOf)).toBe('by another');
  expect(describeFolder(folder)).toEqual(before);
  expect(readdirSync(copies)).toEqual([]);
});

/** A child that reads from a copy, or has only made it, in a folder of its own for such. */
async function readInChild(path: string, what: 'copied' | 'opened') {
  const copies = makeCopyFolder();
  const child = startChild(new URL('./children/read-copy.ts', import.meta.url), [path, what], {
    TMPDIR: copies,
  });
  await child.printed('ready');
  const during = readdirSync(copies);
  child.process.kill('SIGKILL');
  await child.ended;
  return { copies, during, output: child.output() };
}

test.each(['committed', 'half written'])(
  'a reader that is killed while it works on a copy leaves none (%s)',
  async (what) => {
    const { path } = copyFixture();
    await leaveByKill(path, what);
    rmSync(`${path}-shm`, { force: true });
    const { copies, output } = await readInChild(path, 'opened');
    expect(output).toContain(`label ${what === 'committed' ? 'by another' : 'null'}\n`);
    expect(readdirSync(copies)).toEqual([]);
  },
);

test('one that is killed before leaves it to the next, which takes nothing else away', async () => {
  const { path } = copyFixture();
  await leaveByKill(path, 'committed');
  rmSync(`${path}-shm`);
  const { copies, during } = await readInChild(path, 'copied');
  expect(during).toHaveLength(1);
  expect(readdirSync(copies)).toEqual(during);
  expect(statSync(join(copies, during[0]!)).mode & 0o777).toBe(0o700);
  const [name] = during as [string];
  const others = [
    name.replace('openbot-database', 'somebody-else'),
    // Of a process that lives.
    name.replace(/\.\d+\..*/, makeLeftoverName('', 'tmp')),
    'openbot-database-by-hand',
  ].sort();
  for (const other of others) mkdirSync(join(copies, other));
  expect(readOpenclawDatabase(path, labelOf)).toBe('by another');
  expect(readdirSync(copies).sort()).toEqual(others);
});

test('a copy is read to its end, also what was not yet asked for when its names went', async () => {
  const { path } = copyFixture();
  await leaveByKill(path, 'committed');
  rmSync(`${path}-shm`);
  makeCopyFolder();
  const tables = readOpenclawDatabase(path, ({ db }) => {
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    return db.prepare('SELECT count(*) AS rows FROM transcript_events').get();
  });
  expect(tables).toEqual(
    readOpenclawDatabase(copyFixture().path, ({ db }) =>
      db.prepare('SELECT count(*) AS rows FROM transcript_events').get(),
    ),
  );
});

test('a `-wal` without its index where no copy can be made', async () => {
  const { path, folder } = copyFixture();
  await leaveByKill(path, 'committed');
  rmSync(`${path}-shm`);
  const before = describeFolder(folder);
  const inTheWay = join(makeCopyFolder(), 'file');
  writeFileSync(inTheWay, '');
  vi.stubEnv('TMPDIR', inTheWay);
  expect(() => readOpenclawDatabase(path, labelOf)).toThrow(
    expect.objectContaining({ code: 'DATABASE_UNREADABLE', message: expect.stringContaining(path) }),
  );
  expect(describeFolder(folder)).toEqual(before);
});

test('an empty `-wal`, and an index without a `-wal`', () => {
  const { path, folder } = copyFixture();
  writeFileSync(`${path}-wal`, '');
  const withWal = describeFolder(folder);
  expect(readOpenclawDatabase(path, labelOf)).toBeNull();
  expect(describeFolder(folder)).toEqual(withWal);
  rmSync(`${path}-wal`);
  writeFileSync(`${path}-shm`, Buffer.alloc(32_768));
  const withIndex = describeFolder(folder);
  expect(readOpenclawDatabase(path, labelOf)).toBeNull();
  expect(describeFolder(folder)).toEqual(withIndex);
});

test('a journal of a writer that was killed half way: its changes are not seen, and it stays', async () => {
  const { path, folder } = copyFixture();
  await leaveByKill(path, 'half written');
  const before = describeFolder(folder);
  expect(Object.keys(before)).toEqual(['openclaw-agent.sqlite', 'openclaw-agent.sqlite-journal']);
  const copies = makeCopyFolder();
  expect(readOpenclawDatabase(path, labelOf)).toBeNull();
  expect(describeFolder(folder)).toEqual(before);
  expect(readdirSync(copies)).toEqual([]);
});

test('a program that writes and leaves while we read: it is read again', () => {
  const { path, folder } = copyFixture();
  let calls = 0;
  const label = readOpenclawDatabase(path, (database) => {
    const seen = labelOf(database);
    if (++calls === 1) {
      const other = new DatabaseSync(path);
      other.exec("UPDATE session_nodes SET label = 'meanwhile'");
      other.close();
    }
    return seen;
  });
  expect([label, calls]).toEqual(['meanwhile', 2]);
  expect(Object.keys(describeFolder(folder))).toEqual(['openclaw-agent.sqlite']);
});

test('a program that begins to write while we read: it is read again, beside it', () => {
  const { path, folder } = copyFixture();
  const others: DatabaseSync[] = [];
  const label = readOpenclawDatabase(path, (database) => {
    const seen = labelOf(database);
    if (others.length === 0) {
      others.push(new DatabaseSync(path));
      others[0]?.exec("UPDATE session_nodes SET label = 'meanwhile'");
    }
    return seen;
  });
  expect(label).toBe('meanwhile');
  expect(Object.keys(describeFolder(folder))).toHaveLength(3);
  others[0]?.close();
});

test('an error while another program writes is ignored unless it is repeated', () => {
  const { path } = copyFixture();
  let calls = 0;
  const read = () =>
    readOpenclawDatabase(path, () => {
      calls++;
      if (calls === 1) utimesSync(path, 1, calls);
      throw new Error('a page that fits no other');
    });
  expect(read).toThrow('a page that fits no other');
  expect(calls).toBe(2);
});

test('a database that never keeps still is read under locks in the end, and nothing of that stays', () => {
  const { path, folder } = copyFixture();
  let calls = 0;
  let atLast: string[] = [];
  const label = readOpenclawDatabase(path, (database) => {
    utimesSync(path, 1, ++calls);
    atLast = Object.keys(describeFolder(folder));
    return labelOf(database);
  });
  expect([label, calls]).toEqual([null, 5]);
  expect(atLast).toHaveLength(3);
  expect(Object.keys(describeFolder(folder))).toEqual(['openclaw-agent.sqlite']);
  expect(statSync(path).mtimeMs).toBe(5000);
});

test('whether something changed can be asked', () => {
  const { path } = copyFixture();
  const database = openDatabaseForReading(path);
  expect(database.hasChangedSince()).toBe(false);
  const other = new DatabaseSync(path);
  other.exec("UPDATE session_nodes SET label = 'meanwhile'");
  expect(database.hasChangedSince()).toBe(true);
  database.close();
  const beside = openDatabaseForReading(path);
  other.exec("UPDATE session_nodes SET label = 'again'");
  expect(beside.hasChangedSince()).toBe(false);
  expect(labelOf(beside)).toBe('meanwhile');
  beside.close();
  other.close();
});

test('reading does not take our own transaction the lock away', async () => {
  const { path } = copyFixture();
  const database = openDatabaseForWriting(path);
  const attempt = async () => {
    const child = startChild(new URL('./children/try-to-write.ts', import.meta.url), [path]);
    await child.ended;
    return child.output().trim();
  };
  database.db.exec("BEGIN IMMEDIATE; UPDATE session_nodes SET label = 'ours'");
  expect(readOpenclawDatabase(path, labelOf)).toBeNull();
  expect(await attempt()).toBe('database is locked');
  database.db.exec('COMMIT');
  expect(await attempt()).toBe('free');
  expect(inTransaction(database, 'deferred', () => labelOf(database))).toBe('ours');
  database.close();
});
