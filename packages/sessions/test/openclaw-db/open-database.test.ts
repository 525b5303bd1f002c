import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openOpenclawDatabaseStore } from '../../src/openclaw-db/entries/database-store.ts';
import { lookIntoOpenclawDatabase } from '../../src/openclaw-db/look-into-database.ts';
import {
  openDatabaseForReading,
  openDatabaseForWriting,
  readOpenclawDatabase,
  readSessionDatabase,
} from '../../src/openclaw-db/open-database.ts';
import { inTransaction } from '../../src/openclaw-db/transaction.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { copyFixture, describeFolder } from './folder-state.ts';
import { createAgentDatabase, createFileEraDatabase } from './setup/create-agent-database.ts';

/** Changes the copy as a program of another version would have left it. */
function alter(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** An error with the code, a hint, and a message that holds the parts in their order. */
const refusal = (code: string, ...parts: string[]) =>
  expect.objectContaining({
    code,
    message: expect.toSatisfy((message: string) => {
      let at = 0;
      for (const part of parts) at = at < 0 ? at : message.indexOf(part, at);
      return at >= 0;
    }),
    hint: expect.any(String),
  });

test('the known version is known', () => {
  const { path } = copyFixture();
  const { schema } = openAndClose(path);
  expect([schema.version, schema.recordedVersion, schema.isKnown]).toEqual([23, 23, true]);
});

function openAndClose(path: string) {
  const database = openDatabaseForReading(path);
  database.close();
  return database;
}

test.each([22, 24])('version %i is read, and written only on demand', (version) => {
  const { path, folder } = copyFixture();
  alter(path, `PRAGMA user_version = ${version}; UPDATE schema_meta SET schema_version = ${version}`);
  const before = describeFolder(folder);
  expect(openAndClose(path).schema).toMatchObject({ version, isKnown: false });
  expect(() => openDatabaseForWriting(path)).toThrow(
    refusal('DATABASE_UNSUPPORTED', path, String(version), '23'),
  );
  expect(() => openDatabaseForWriting(path)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('--force') }),
  );
  const database = openDatabaseForWriting(path, { force: true });
  expect(database.schema.isKnown).toBe(false);
  database.close();
  expect(describeFolder(folder)).toEqual(before);
});

test('two versions that disagree are not known', () => {
  const { path } = copyFixture();
  alter(path, 'UPDATE schema_meta SET schema_version = 24');
  expect(openAndClose(path).schema.isKnown).toBe(false);
  expect(() => openDatabaseForWriting(path)).toThrow(refusal('DATABASE_UNSUPPORTED', '23 (recorded as 24)'));
});

test('a column that reading needs is missing', () => {
  const { path } = copyFixture();
  alter(
    path,
    'ALTER TABLE session_windows RENAME COLUMN transcript_updated_at TO touched; PRAGMA user_version = 30',
  );
  const missing = refusal('DATABASE_UNSUPPORTED', path, '30', 'session_windows.transcript_updated_at');
  expect(() => openDatabaseForReading(path)).toThrow(missing);
  expect(() => openDatabaseForWriting(path, { force: true })).toThrow(missing);
});

test('a column that only writing needs is missing', () => {
  const { path } = copyFixture();
  alter(path, 'DROP TABLE transcript_rewrite_watermarks; PRAGMA user_version = 30');
  expect(openAndClose(path).schema.version).toBe(30);
  expect(() => openDatabaseForWriting(path, { force: true })).toThrow(
    refusal('DATABASE_UNSUPPORTED', 'transcript_rewrite_watermarks.session_id'),
  );
});

test('another program’s database, and an empty file', () => {
  const path = join(makeTempFolder(), 'other.sqlite');
  writeFileSync(path, '');
  expect(() => openDatabaseForReading(path)).toThrow(refusal('DATABASE_WITHOUT_SESSIONS', path));
  alter(path, 'CREATE TABLE notes (text)');
  expect(() => openDatabaseForReading(path)).toThrow(refusal('DATABASE_WITHOUT_SESSIONS', path));
  expect(() => openDatabaseForWriting(path)).toThrow(refusal('DATABASE_WITHOUT_SESSIONS', path));
  expect(readSessionDatabase(path, () => 'read')).toBeUndefined();
});

test('what OpenClaw 2026.7.35 keeps beside sessions in files is no session storage', async () => {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  createFileEraDatabase(path);
  expect(readSessionDatabase(path, () => 'read')).toBeUndefined();
  expect(lookIntoOpenclawDatabase(path)).toBeUndefined();
  const store = openOpenclawDatabaseStore(path);
  expect([await store.list(), await store.get('agent:main:main')]).toEqual([[], undefined]);
  await expect(
    store.update('agent:main:main', () => ({ sessionId: 's', updatedAt: 1 })),
  ).rejects.toMatchObject({ code: 'DATABASE_WITHOUT_SESSIONS' });
});

test.each(['sessions', 'session_entries', 'transcript_lines'])(
  'a table %s of an unknown schema is refused, not ignored',
  (table) => {
    const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
    createFileEraDatabase(path);
    alter(path, `CREATE TABLE ${table} (id TEXT); PRAGMA user_version = 7`);
    expect(() => readSessionDatabase(path, () => 'read')).toThrow(
      refusal('DATABASE_UNSUPPORTED', path, 'session_nodes.session_key'),
    );
  },
);

test('a database in which nothing was said yet is session storage', () => {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  createAgentDatabase(path);
  expect(lookIntoOpenclawDatabase(path)).toEqual([]);
});

test.each([
  ['for reading', openDatabaseForReading],
  ['for writing', openDatabaseForWriting],
])('what is no database is refused %s and left as it is', (_, open) => {
  const folder = makeTempFolder();
  const path = join(folder, 'openclaw-agent.sqlite');
  expect(() => open(path)).toThrow(refusal('DATABASE_UNREADABLE', path, 'there is no such file'));
  expect(existsSync(path)).toBe(false);
  expect(() => open(join(path, 'below'))).toThrow(refusal('DATABASE_UNREADABLE'));
  mkdirSync(path);
  expect(() => open(path)).toThrow(refusal('DATABASE_UNREADABLE', path));
  rmSync(path, { recursive: true });
  writeFileSync(path, 'A text that is long enough to be taken for a database. '.repeat(100));
  const before = describeFolder(folder);
  expect(() => open(path)).toThrow(refusal('DATABASE_UNREADABLE', path, 'not a database'));
  expect(describeFolder(folder)).toEqual(before);
});

test('a folder where a file of SQLite belongs', () => {
  const { path } = copyFixture();
  mkdirSync(`${path}-wal`);
  expect(() => openDatabaseForReading(path)).toThrow(
    refusal('DATABASE_UNREADABLE', path, '-wal is a folder'),
  );
});

test('a damaged database', () => {
  const { path } = copyFixture();
  truncateSync(path, 40_000);
  const read = () =>
    readOpenclawDatabase(path, ({ db }) => db.prepare('SELECT * FROM transcript_events').all());
  expect(read).toThrow(refusal('DATABASE_UNREADABLE', path));
});

test('a link leads to the database, whose other files are beside it', () => {
  const { path } = copyFixture();
  const link = join(makeTempFolder(), 'link.sqlite');
  symlinkSync(path, link);
  const writer = new DatabaseSync(path);
  writer.exec("UPDATE session_nodes SET label = 'in the log'");
  const read = readOpenclawDatabase(link, (database) => [
    database.path,
    database.db.prepare('SELECT DISTINCT label FROM session_nodes').get()?.label,
  ]);
  expect(read).toEqual([path, 'in the log']);
  writer.close();
});

test('writing holds foreign keys and syncs commits, and changes nothing about how the database is kept', () => {
  const { path } = copyFixture();
  const kept = ['journal_mode', 'auto_vacuum', 'user_version', 'page_size', 'schema_version'];
  const ask = (db: DatabaseSync, names: string[]) =>
    names.map((name) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const before = readOpenclawDatabase(path, ({ db }) => ask(db, kept.slice(1)));
  const database = openDatabaseForWriting(path);
  expect(ask(database.db, ['foreign_keys', 'synchronous', 'busy_timeout'])).toEqual([1, 2, 5000]);
  expect(ask(database.db, kept)).toEqual(['wal', ...before]);
  database.close();
});

test('a failed transaction leaves nothing, and throws its own error', () => {
  const { path } = copyFixture();
  const database = openDatabaseForWriting(path);
  const failing = () =>
    inTransaction(database, 'immediate', () => {
      database.db.exec("UPDATE session_nodes SET label = 'half'");
      database.db.exec('ROLLBACK');
      throw new Error('the first');
    });
  expect(failing).toThrow('the first');
  expect(database.db.isTransaction).toBe(false);
  inTransaction(database, 'immediate', () => {
    database.db.exec("UPDATE session_nodes SET label = 'whole'");
    expect(inTransaction(database, 'immediate', () => 'joined')).toBe('joined');
  });
  expect(database.db.prepare('SELECT DISTINCT label FROM session_nodes').all()).toEqual([{ label: 'whole' }]);
  database.close();
});

test('a row that breaks a rule, and a full disk', () => {
  const { path } = copyFixture();
  const database = openDatabaseForWriting(path);
  const { db } = database;
  const orphan = () =>
    inTransaction(database, 'immediate', () =>
      db.exec(
        "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES ('none', 0, '{}', 1)",
      ),
    );
  expect(orphan).toThrow(refusal('DATABASE_WRITE_FAILED', path));
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number };
  db.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const large = () =>
    inTransaction(database, 'immediate', () =>
      db.prepare("INSERT INTO cache_entries VALUES ('x', 'y', ?, NULL, NULL, 1)").run('x'.repeat(5_000_000)),
    );
  expect(large).toThrow(refusal('DATABASE_WRITE_FAILED', path, 'full'));
  expect(db.isTransaction).toBe(false);
  expect(db.prepare('SELECT count(*) AS n FROM cache_entries').get()?.n).toBe(0);
  database.close();
});

test('a database that another process is writing to is busy, and free when it is done', async () => {
  const { path } = copyFixture();
  const writer = startChild(new URL('./children/keep-open.ts', import.meta.url), [path, 'in a transaction']);
  await writer.printed('ready');
  const database = openDatabaseForWriting(path, { waitMs: 20 });
  const write = () =>
    inTransaction(database, 'immediate', () => database.db.exec("UPDATE session_nodes SET label = 'ours'"));
  expect(write).toThrow(refusal('DATABASE_BUSY', path));
  expect(
    readOpenclawDatabase(path, ({ db }) => db.prepare('SELECT DISTINCT label FROM session_nodes').all()),
  ).toEqual([{ label: null }]);
  writer.process.stdin?.end();
  expect(await writer.ended).toBe(0);
  write();
  database.close();
});
