import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { locateSessions } from '../../src/finding/locate-sessions.ts';
import { takeSnapshot } from '../commands/snapshot.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { changeDatabase, copyDatabase, databasePath, putDatabase } from './database.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, setAge, userLine, uuid } from './home.ts';

const [ONE, TWO, THREE] = [uuid('1'), uuid('2'), uuid('3')];
const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1000;

test('the sessions in a database of OpenClaw', async () => {
  const home = makeHome();
  const path = copyDatabase(home);
  const shared = { agentId: 'main', source: 'openclaw', path, storage: 'sqlite', cwd: '/home/user/ws' };
  expect(await listSessions(scopeAt(home))).toEqual([
    {
      ...shared,
      sessionId: '6eacbb33-4125-4ff8-ac61-644d1a9ddb89',
      sessionKey: 'agent:main:think',
      updatedAt: 1_794_767_379_445,
      sizeBytes: 18_194,
      firstWords: expect.stringMatching(/^think turn\n/),
      tokens: { context: 1_899, basis: 'recorded' },
      window: { tokens: 200_000, used: 1_899, percent: 1 },
    },
    {
      ...shared,
      sessionId: '5ae5f53e-1a33-4851-aa5f-78e1df28e50b',
      sessionKey: 'agent:main:main',
      updatedAt: 1_794_767_367_860,
      sizeBytes: 46_583,
      firstWords: expect.stringMatching(/^hello, read my files\n/),
      tokens: { context: 12_619, basis: 'recorded' },
      window: { tokens: 128_000, used: 12_619, percent: 10 },
    },
  ]);
});

test('label, title and folder are beside the size that its lines have as a file', async () => {
  const home = makeHome();
  const lines = [userLine('grüße'.repeat(800))];
  const session = { key: 'agent:main:main', cwd: '/home/ünïcode', entry: { label: 'work' }, lines };
  putDatabase(home, [
    { ...session, sessionId: ONE, age: 1 },
    {
      ...session,
      sessionId: TWO,
      key: 'agent:main:two',
      age: 2,
      entry: { displayName: 'Ada' },
      compressed: true,
    },
  ]);
  const sizeBytes = Buffer.byteLength(header(ONE, '/home/ünïcode') + lines[0]);
  expect(await listSessions(scopeAt(home))).toMatchObject([
    { sessionId: TWO, displayName: 'Ada', cwd: '/home/ünïcode', sizeBytes, updatedAt: at(2) },
    { sessionId: ONE, label: 'work', cwd: '/home/ünïcode', sizeBytes, updatedAt: at(1) },
  ]);
});

test('a session that its key no longer leads to is listed as a former one, without what the entry says', async () => {
  const home = makeHome();
  const key = 'agent:main:main';
  putDatabase(home, [
    { sessionId: ONE, key, age: 1 },
    { sessionId: TWO, key, age: 2, entry: { label: 'work' } },
  ]);
  const found = await listSessions(scopeAt(home));
  expect(
    found.map(({ sessionId, sessionKey, label, former }) => [sessionId, sessionKey, label, former]),
  ).toEqual([
    [TWO, key, 'work', undefined],
    [ONE, key, undefined, true],
  ]);
});

test('two keys for one transcript are one session, under the key used last', async () => {
  const home = makeHome();
  const path = putDatabase(home, [
    { sessionId: ONE, key: 'agent:main:a', entry: { updatedAt: 5, label: 'old' } },
  ]);
  changeDatabase(
    path,
    `INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at)
     VALUES ('agent:main:b', '${ONE}', '{"sessionId":"${ONE}","updatedAt":9}', 9)`,
  );
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ sessionKey, label, missing }) => [sessionKey, label, missing])).toEqual([
    ['agent:main:b', 'old', undefined],
  ]);
});

test('a key without lines is missing; one whose lines were moved away is cold, with their size', async () => {
  const home = makeHome();
  const path = putDatabase(home, [
    { sessionId: ONE, key: 'agent:main:new', age: 1, lines: false },
    { sessionId: TWO, key: 'agent:main:old', age: 2, lines: false },
  ]);
  changeDatabase(
    path,
    `INSERT INTO session_transcript_cold_archives VALUES
       ('${TWO}', 'g', 'archive', '${'a'.repeat(64)}', 3, 4711, 99, 2, 1, 'file', NULL)`,
  );
  const [cold, missing] = await listSessions(scopeAt(home));
  expect(cold).toMatchObject({ sessionId: TWO, cold: true, sizeBytes: 4712, cwd: null });
  expect(cold?.missing).toBeUndefined();
  expect(missing).toMatchObject({ sessionId: ONE, missing: true, sizeBytes: 0, cwd: null, updatedAt: at(1) });
});

test.each(['no json', '[]', 'null'])('an entry that holds %j does not hide its session', async (entry) => {
  const home = makeHome();
  const path = putDatabase(home, [{ sessionId: ONE, key: 'agent:main:main' }]);
  changeDatabase(path, `UPDATE session_nodes SET entry_json = '${entry}'`);
  expect(await listSessions(scopeAt(home))).toMatchObject([
    { sessionId: ONE, sessionKey: 'agent:main:main' },
  ]);
});

test('a first line that is damaged, or no header, hides its folder and nothing else', async () => {
  const home = makeHome();
  const key = (name: string) => `agent:main:${name}`;
  const path = putDatabase(home, [
    { sessionId: ONE, key: key('a'), age: 3, lines: [userLine('hello')], compressed: true },
    { sessionId: TWO, key: key('b'), age: 2 },
    { sessionId: THREE, key: key('c'), age: 1, cwd: '/w' },
  ]);
  changeDatabase(
    path,
    `DELETE FROM transcript_events WHERE session_id = '${ONE}' AND seq = 0;
     UPDATE transcript_events SET event_zstd = x'00112233' WHERE session_id = '${ONE}';
     UPDATE transcript_events SET event_json = 'no json' WHERE session_id = '${TWO}';`,
  );
  const found = await listSessions(scopeAt(home));
  expect(found.map(({ sessionId, cwd }) => [sessionId, cwd])).toEqual([
    [ONE, null],
    [TWO, null],
    [THREE, '/w'],
  ]);
});

describe('files and a database in one state folder', () => {
  test('each session once, newest first: the database counts where both have it', async () => {
    const home = makeHome();
    const folder = sessionsFolder(home);
    const path = putDatabase(home, [
      { sessionId: ONE, key: 'agent:main:one', age: 10, cwd: '/database' },
      { sessionId: TWO, key: 'agent:main:two', age: 30 },
    ]);
    setAge(put(join(folder, `${ONE}.jsonl`), header(ONE, '/file')), 50);
    setAge(put(join(folder, `${THREE}.jsonl`), header(THREE)), 20);
    put(join(folder, 'sessions.json'), {
      'agent:main:two': { sessionId: TWO, updatedAt: at(99) },
      'agent:main:three': { sessionId: THREE, updatedAt: 1 },
    });
    const found = await listSessions(scopeAt(home));
    expect(found.map(({ sessionId, path, cwd }) => [sessionId, path, cwd])).toEqual([
      [TWO, path, '/work/space'],
      [THREE, join(folder, `${THREE}.jsonl`), '/work/space'],
      [ONE, path, '/database'],
    ]);
    expect(found.map(({ storage, missing }) => [storage, missing])).toEqual([
      ['sqlite', undefined],
      [undefined, undefined],
      ['sqlite', undefined],
    ]);
  });

  test('where the database has no lines of it, the file is the session', async () => {
    const home = makeHome();
    putDatabase(home, [{ sessionId: ONE, key: 'agent:main:one', lines: false }]);
    const path = put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
    expect(await listSessions(scopeAt(home))).toMatchObject([{ sessionId: ONE, path }]);
  });

  test('agents of both eras beside each other', async () => {
    const home = makeHome();
    putDatabase(home, [{ sessionId: ONE, key: 'agent:molt:main', age: 5 }], 'molt');
    setAge(put(join(sessionsFolder(home), `${TWO}.jsonl`), header(TWO)), 9);
    const found = await listSessions(scopeAt(home, { allAgents: true }));
    expect(found.map(({ agentId, storage }) => [agentId, storage])).toEqual([
      ['main', undefined],
      ['molt', 'sqlite'],
    ]);
    expect(await listSessions(scopeAt(home))).toHaveLength(1);
  });
});

describe('a database that cannot be read', () => {
  test.each([
    ['text', 'no database at all, and longer than its header would be'.repeat(20)],
    ['nothing', ''],
  ])('it holds %s: the files are listed, with a warning that names it', async (_, content) => {
    const home = makeHome();
    put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
    const path = put(databasePath(home), content);
    for (const choice of [{}, { allAgents: true }, { source: 'all' }] as const) {
      const warned: unknown[] = [];
      const scope = scopeAt(home, { ...choice, warn: (fault) => void warned.push(fault) });
      expect(await listSessions(scope)).toMatchObject([{ sessionId: ONE }]);
      expect(warned).toMatchObject([
        { code: 'DATABASE_UNREADABLE', message: expect.stringContaining(path), hint: expect.any(String) },
      ]);
    }
  });

  test('and no files: it is the error', async () => {
    const home = makeHome();
    mkdirSync(databasePath(home), { recursive: true });
    await expect(listSessions(scopeAt(home))).rejects.toMatchObject({ code: 'DATABASE_UNREADABLE' });
  });

  test('it lacks a table', async () => {
    const home = makeHome();
    const path = copyDatabase(home);
    changeDatabase(path, 'PRAGMA foreign_keys = OFF; DROP TABLE session_transcript_cold_archives;');
    const { code, stdout, stderr } = await runOccHere(['list', '--json'], { env: { HOME: home }, cwd: home });
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'DATABASE_UNSUPPORTED',
      message: expect.stringContaining('session_transcript_cold_archives'),
    });
  });

  test('a file with the name of its folder is no database', async () => {
    const home = makeHome();
    put(join(home, '.openclaw/agents/main/agent'), '');
    put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
    expect(await listSessions(scopeAt(home))).toHaveLength(1);
  });
});

test('only what will be shown is measured, counted over both eras', () => {
  const home = makeHome();
  putDatabase(home, [
    { sessionId: ONE, key: 'agent:main:one', age: 10 },
    { sessionId: TWO, key: 'agent:main:two', age: 30 },
  ]);
  setAge(put(join(sessionsFolder(home), `${THREE}.jsonl`), header(THREE)), 20);
  const measured = (count: number) =>
    locateSessions(scopeAt(home), count).flatMap(({ sessionId, opened }) => (opened ? [sessionId] : []));
  expect([0, 1, 2, 3].map(measured)).toEqual([[], [TWO], [TWO], [TWO, ONE]]);
});

describe('occ list', () => {
  test('shows sessions of a database, and where each is kept if some are in files', async () => {
    const home = makeHome();
    putDatabase(home, [
      { sessionId: ONE, key: 'agent:main:main', age: 1 },
      { sessionId: TWO, key: 'agent:main:main', age: 2, lines: [userLine('hello')] },
    ]);
    const run = async () =>
      (await runOccHere(['list'], { env: { HOME: home }, cwd: home })).stdout.split('\n');
    const [title, columns, newest, former] = await run();
    expect(title).toBe('2 sessions of agent main, newest first');
    expect(columns).toMatch(/^ID +UPDATED +SIZE +SESSION +FOLDER +BEGAN WITH$/);
    expect(newest).toMatch(/^22222222 .* \d+ B {2}agent:main:main +\/work\/space +hello$/);
    expect(former).toMatch(/^11111111 .* \d+ B {2}formerly agent:main:main +\/work\/space$/);
    setAge(put(join(sessionsFolder(home), `${THREE}.jsonl`), header(THREE)), 3);
    const both = await run();
    expect(both[1]).toMatch(/^ID +UPDATED +SIZE +KEPT IN +SESSION +FOLDER +BEGAN WITH$/);
    expect(both[2]).toMatch(/^33333333 .* B {2}file /);
    expect(both[3]).toMatch(/^22222222 .* B {2}sqlite +agent:main:main /);
  });

  test('leaves nothing behind and says nothing of SQLite', async () => {
    const home = makeHome();
    copyDatabase(home);
    const before = takeSnapshot(home);
    const { code, stderr } = await runOccHere(['list'], { env: { HOME: home }, cwd: home });
    expect([code, stderr]).toEqual([0, '']);
    expect(takeSnapshot(home)).toEqual(before);
  });

  test('sees what a running OpenClaw wrote last', async () => {
    const home = makeHome();
    const path = putDatabase(home, [{ sessionId: ONE, key: 'agent:main:main', age: 1 }]);
    const gateway = new DatabaseSync(path);
    try {
      gateway.exec(`UPDATE session_windows SET transcript_updated_at = ${at(77)}`);
      expect(await listSessions(scopeAt(home))).toMatchObject([{ sessionId: ONE, updatedAt: at(77) }]);
      gateway.exec('BEGIN IMMEDIATE');
      expect(await listSessions(scopeAt(home))).toHaveLength(1);
      gateway.exec('ROLLBACK');
    } finally {
      gateway.close();
    }
  });
});
