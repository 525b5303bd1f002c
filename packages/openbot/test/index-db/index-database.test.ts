import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { type IndexNotice, type IndexOptions, openIndexDatabase } from '../../src/index-db/index-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const NAME = 'openbot.sqlite';

async function open(path: string, options: IndexOptions = {}) {
  const notices: IndexNotice[] = [];
  const database = await openIndexDatabase(path, { report: (notice) => notices.push(notice), ...options });
  afterTest(() => database.close());
  const count = () =>
    database.read(() => database.prepare('SELECT count(*) AS n FROM files').get()?.n as number);
  const add = (name: string) =>
    database.write(() =>
      database
        .prepare(
          `INSERT INTO files (kind, source, root, path, mtime, size, generation, position, hash)
           VALUES ('memory', 'openbot', '/r', ?, 1, 2, 'g', 0, 'h')`,
        )
        .run(name),
    );
  return { database, notices, count, add };
}

const pathIn = (folder: string) => join(folder, NAME);
const namesIn = (folder: string) => readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));

describe('the file', () => {
  test('is private, in a private folder, and what is in it stays', async () => {
    const folder = join(makeTempFolder(), 'state');
    const first = await open(pathIn(folder));
    await first.add('/r/a.md');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    first.database.close();
    chmodSync(pathIn(folder), 0o644);
    const second = await open(pathIn(folder));
    expect(await second.count()).toBe(1);
    expect(statSync(pathIn(folder)).mode & 0o777).toBe(0o600);
    expect(second.notices).toEqual([]);
  });

  test('words of any accent and case are the same', async () => {
    const { database } = await open(pathIn(makeTempFolder()));
    const found = await database.write(() => {
      database.prepare("INSERT INTO said (rowid, text) VALUES (1, 'Über den Weg nach Łódź')").run();
      return database.prepare('SELECT rowid FROM said WHERE said MATCH \'"uber" AND "weg"\'').all();
    });
    expect(found).toEqual([{ rowid: 1 }]);
  });

  test('what belongs to a file goes with it, its words too', async () => {
    const { database, add } = await open(pathIn(makeTempFolder()));
    await add('/r/a.md');
    await database.write(() => {
      database.prepare("INSERT INTO sessions (id, session_id, updated_at) VALUES (1, 's', 1)").run();
      database
        .prepare("INSERT INTO messages (id, session, position, turn, speaker) VALUES (7, 1, 0, 1, 'user')")
        .run();
      database.prepare("INSERT INTO said (rowid, text) VALUES (7, 'hello')").run();
      database
        .prepare("INSERT INTO chunks (id, file, first, last, hash, text) VALUES (9, 1, 1, 2, 'h', 'x')")
        .run();
      database.prepare("INSERT INTO chunk_words (rowid, text) VALUES (9, 'hello')").run();
      database.prepare('DELETE FROM files WHERE id = 1').run();
    });
    const left = await database.read(() =>
      ['sessions', 'messages', 'chunks', 'said', 'chunk_words'].map(
        (table) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n,
      ),
    );
    expect(left).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('an index that cannot be used', () => {
  test('is moved aside when it is no database, and a message says so', async () => {
    const folder = makeTempFolder();
    writeFileSync(
      pathIn(folder),
      'this is no database, and longer than a header of one would be'.repeat(100),
    );
    const { count, notices } = await open(pathIn(folder));
    expect(await count()).toBe(0);
    expect(notices).toMatchObject([{ why: 'damaged' }]);
    expect(namesIn(folder)).toHaveLength(2);
  });

  test('is moved aside when it is of an older version', async () => {
    const folder = makeTempFolder();
    const old = new DatabaseSync(pathIn(folder));
    old.exec('CREATE TABLE messages (id)');
    old.close();
    const { count, notices } = await open(pathIn(folder));
    expect(await count()).toBe(0);
    expect(notices).toMatchObject([{ why: 'older', message: expect.stringContaining('.aside-') }]);
  });

  test('is left alone when it is of a newer version', async () => {
    const folder = makeTempFolder();
    const newer = new DatabaseSync(pathIn(folder));
    newer.exec('CREATE TABLE messages (id); PRAGMA user_version = 999');
    newer.close();
    await expect(open(pathIn(folder))).rejects.toMatchObject({ code: 'INDEX_TOO_NEW' });
    expect(namesIn(folder)).toEqual([NAME]);
  });

  test('is made anew when a damaged part is met', async () => {
    const folder = makeTempFolder();
    const { database, add } = await open(pathIn(folder));
    for (let n = 0; n < 500; n++) await add(`/r/${n}-${'long'.repeat(200)}.md`);
    database.close();
    // The tables are at the beginning, and half of the rows.
    const { size } = statSync(pathIn(folder));
    const fd = openSync(pathIn(folder), 'r+');
    writeSync(fd, Buffer.alloc(size / 2, 0xa5), 0, size / 2, size / 2);
    closeSync(fd);
    const { count, notices } = await open(pathIn(folder));
    await expect(count()).rejects.toMatchObject({ code: 'INDEX_REPLACED' });
    expect(await count()).toBe(0);
    expect(notices).toMatchObject([{ why: 'damaged' }]);
  });

  test('is made anew when it was deleted while it is open', async () => {
    const folder = makeTempFolder();
    const { add, count, notices } = await open(pathIn(folder));
    await add('/r/a.md');
    rmSync(pathIn(folder));
    expect(await count()).toBe(0);
    expect(notices).toMatchObject([{ why: 'deleted' }]);
  });

  test('is moved aside when another process holds it for too long, or given up', async () => {
    const folder = makeTempFolder();
    const { add } = await open(pathIn(folder), { waitMs: 20 });
    await add('/r/a.md');
    const other = new DatabaseSync(pathIn(folder));
    afterTest(() => other.close());
    other.exec('BEGIN EXCLUSIVE');
    const patient = await open(pathIn(folder), { waitMs: 20, leaveAlone: ['locked'] });
    for (let n = 0; n < 2; n++)
      await expect(patient.add('/r/b.md')).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
    const { add: addHere, count, notices } = await open(pathIn(folder), { waitMs: 20 });
    await expect(addHere('/r/b.md')).rejects.toMatchObject({ code: 'INDEX_REPLACED' });
    await addHere('/r/b.md');
    expect(await count()).toBe(1);
    expect(notices).toMatchObject([{ why: 'locked' }]);
  });

  test('at most three are kept', async () => {
    const folder = makeTempFolder();
    for (let n = 0; n < 5; n++) {
      writeFileSync(pathIn(folder), `no database ${n}`.repeat(500));
      (await open(pathIn(folder))).database.close();
    }
    expect(namesIn(folder).filter((name) => name.includes('.aside-'))).toHaveLength(3);
  });
});
