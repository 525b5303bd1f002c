/** What stands in the way of a search although the transcript itself is whole. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFileEraDatabase } from '../../../sessions/test/openclaw-db/setup/create-agent-database.ts';
import { ID, type Json, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';

let home: StateFolder;
let path: string;
let original: string;

beforeEach(() => {
  home = makeStateFolder();
  path = home.add(thirtyTurns({ usage: true }), {
    sessionKey: 'agent:main:main',
    entry: { totalTokens: 99_000, label: 'work' },
  });
  original = readFileSync(path, 'utf8');
});

function putDatabase(content: string): string {
  const database = join(home.stateDir, 'agents', 'main', 'agent', 'openclaw-agent.sqlite');
  mkdirSync(dirname(database), { recursive: true });
  writeFileSync(database, content);
  return database;
}

describe('a database of the file era, without tables of sessions', () => {
  beforeEach(() => {
    createFileEraDatabase(putDatabase(''));
  });

  test.each([
    ['named by nothing', []],
    ['by id', [ID]],
    ['by key', ['agent:main:main']],
    ['by label', ['work']],
  ])('%s: list, info, edit, restore and clone go on with the files', async (_, name) => {
    expect(await home.json('list')).toMatchObject([{ sessionId: ID, sessionKey: 'agent:main:main', path }]);
    expect(await home.json('info', ...name)).toMatchObject({ sessionId: ID, path });
    expect(await home.json('edit', ...name, '--strip-tools')).toMatchObject({ changed: true });
    expect(home.entryOf(ID)).toMatchObject({ totalTokensFresh: false });
    expect(readFileSync(path, 'utf8')).not.toBe(original);
    await home.json('restore', ...name);
    expect(readFileSync(path, 'utf8')).toBe(original);
    expect(home.entryOf(ID)).toMatchObject({ totalTokens: 99_000 });
    const { clonedSessionId } = await home.json('clone', ...name);
    expect(home.entryOf(clonedSessionId)).toBeDefined();
  });

  test('named itself it holds no sessions', async () => {
    expect(await home.refused('info', putDatabasePath())).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

const putDatabasePath = () => join(home.stateDir, 'agents', 'main', 'agent', 'openclaw-agent.sqlite');

describe('a torn database', () => {
  const WARNING = { code: 'DATABASE_UNREADABLE', message: expect.stringContaining('openclaw-agent.sqlite') };

  beforeEach(() => {
    putDatabase('SQLite format 3\0 and nothing that follows'.repeat(30));
  });

  test('the files are listed, and the warning is beside them', async () => {
    const run = await home.occ('list', '--json');
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject([{ sessionId: ID }]);
    expect(JSON.parse(run.stderr)).toMatchObject({ warnings: [WARNING] });
    const shown = await home.occ('list');
    expect([shown.code, shown.stderr]).toEqual([
      0,
      expect.stringMatching(/^Warning: .*openclaw-agent\.sqlite/),
    ]);
    expect(shown.stdout).toContain('agent:main:main');
  });

  test('a session in files is worked on by its id and key', async () => {
    expect(await home.json('info', ID)).toMatchObject({ sessionId: ID, warnings: [WARNING] });
    expect(await home.json('edit', 'agent:main:main', '--strip-tools')).toMatchObject({
      changed: true,
      warnings: [WARNING],
    });
    expect(await home.json('restore', ID)).toMatchObject({ success: true, warnings: [WARNING] });
    expect(readFileSync(path, 'utf8')).toBe(original);
    expect(await home.json('clone', ID)).toMatchObject({ success: true, warnings: [WARNING] });
  });

  test('a name that is not in the files, and none at all, may mean a session in it: refused', async () => {
    expect(await home.refused('info', 'nowhere')).toMatchObject(WARNING);
    expect(await home.refused('edit', '--strip-tools')).toMatchObject(WARNING);
    expect(readFileSync(path, 'utf8')).toBe(original);
  });
});

describe('a torn index', () => {
  const TORN = '{"agent:main:main": {"sessionId": "abc1';
  const WARNING = { code: 'STORE_PARSE_FAILED', message: expect.stringContaining('sessions.json') };
  let index: string;

  beforeEach(() => {
    index = join(home.sessions, 'sessions.json');
    writeFileSync(index, TORN);
  });

  test('the transcripts are listed, and the warning is beside them', async () => {
    const run = await home.occ('list', '--json');
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([0, [{ sessionId: ID, path }]]);
    expect(JSON.parse(run.stderr)).toMatchObject({ warnings: [WARNING] });
    const shown = await home.occ('list');
    expect(shown.stderr).toMatch(/^Warning: .*sessions\.json/);
    expect(shown.stdout).toContain('abc12345');
  });

  test.each([
    ['id', () => [ID]],
    ['path', () => [path]],
    ['nothing', () => []],
  ])('by %s: info, edit and restore work, and leave the index alone', async (_, name) => {
    expect(await home.json('info', ...name())).toMatchObject({ sessionId: ID, warnings: [WARNING] });
    const edited: Json = await home.json('edit', ...name(), '--strip-tools');
    expect(edited).toMatchObject({ changed: true, warnings: [WARNING] });
    expect(edited.warnings[0].hint).toContain('token counts');
    expect(readFileSync(path, 'utf8')).not.toBe(original);
    expect(await home.json('restore', ...name())).toMatchObject({ warnings: [WARNING] });
    expect(readFileSync(path, 'utf8')).toBe(original);
    expect(readFileSync(index, 'utf8')).toBe(TORN);
  });

  test('a clone says that the index takes no entry, and leaves nothing', async () => {
    const before = home.names();
    const refusal = await home.refused('clone', ID);
    expect([refusal.code, refusal.hint]).toEqual([
      'STORE_PARSE_FAILED',
      expect.stringContaining('--no-register'),
    ]);
    expect(home.names()).toEqual(before);
    expect(await home.json('clone', ID, '--no-register')).toMatchObject({ warnings: [WARNING] });
    expect(readFileSync(index, 'utf8')).toBe(TORN);
  });

  test('a key or a label cannot be looked up: the error says why', async () => {
    expect(await home.refused('info', 'agent:main:main')).toMatchObject(WARNING);
    expect(await home.refused('info', 'work')).toMatchObject(WARNING);
  });
});
