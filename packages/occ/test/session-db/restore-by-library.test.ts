/** The functions of the library on a session in a database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import {
  createBackup,
  executeClone,
  executeEdit,
  executeRestore,
  findLatestBackup,
  getCurrentSession,
  listSessions,
  resolveSessionId,
  restoreFromBackup,
} from '../../src/index.ts';
import { changeDatabase, readAsFile } from './look-into.ts';
import { ID, KEY, makeTalkingHome, type TalkingHome } from './talking-home.ts';

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
  vi.stubEnv('OPENCLAW_STATE_DIR', home.env.OPENCLAW_STATE_DIR);
});
afterEach(() => vi.unstubAllEnvs());

const backup = (number: number) => join(home.kept, `${ID}.backup.${number}.jsonl`);

test('a backup is made without an edit, found, and restored with what was said since', async () => {
  const original = home.file();
  expect(await findLatestBackup(ID)).toBe(null);
  // The database holds one session, and that is the path its file would have.
  expect(await createBackup(home.path)).toBe(backup(1));
  expect(await createBackup(join(home.sessions, `${ID}.jsonl`))).toBe(backup(2));
  expect(home.backups(ID)).toEqual({ 1: original, 2: original });
  expect(await findLatestBackup(KEY)).toBe(backup(2));
  const said = home.say('since');
  await executeEdit({ sessionId: ID, toolRemoval: { preset: 'extreme' } });
  expect(await findLatestBackup(ID)).toBe(backup(3));
  await restoreFromBackup(ID);
  expect(home.file()).toBe(original + said);
  expect(await executeRestore({ sessionId: ID, backup: 1 })).toMatchObject({
    success: true,
    restoredFrom: backup(1),
    linesKept: 4,
  });
  expect(home.file()).toBe(original + said);
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('a session that cannot be read has no backup, and nothing is made for one', async () => {
  changeDatabase(
    home.path,
    `INSERT INTO session_transcript_cold_archives VALUES
       ('${ID}', '${'0'.repeat(32)}', 'a.zst', '${'0'.repeat(64)}', 20, 9000, 900, 19, 1794767348365, 'file', NULL)`,
  );
  await expect(createBackup(home.path)).rejects.toMatchObject({ code: 'SESSION_UNSUPPORTED' });
  expect(existsSync(home.sessions)).toBe(false);
});

test('backups by hand are rotated as others are', async () => {
  for (let made = 1; made <= 7; made++) await createBackup(home.path);
  expect(Object.keys(home.backups(ID))).toEqual(['3', '4', '5', '6', '7']);
});

test('edit and clone report what they did, and a dry run what it would do', async () => {
  const before = home.file();
  const extreme = { preset: 'extreme' };
  const planned = await executeEdit({ sessionId: ID, toolRemoval: extreme, dryRun: true });
  expect(planned).toMatchObject({ changed: false, dryRun: true });
  expect(existsSync(home.sessions)).toBe(false);
  const clone = await executeClone({ sourceSessionId: ID, toolRemoval: extreme });
  expect(clone.sessionKey).toBe(`agent:main:clone:${clone.clonedSessionId}`);
  expect(home.file()).toBe(before);
  const edited = await executeEdit({ sessionId: ID, toolRemoval: extreme });
  expect(edited).toMatchObject({ changed: true, statistics: planned.statistics, tokens: clone.tokens });
  const lines = (sessionId: string) => readAsFile(home.path, sessionId).split('\n').slice(1);
  expect(lines(clone.clonedSessionId!)).toEqual(lines(ID));
});

test('names lead to sessions in the database', async () => {
  expect(await resolveSessionId(KEY)).toBe(ID);
  expect(await getCurrentSession('main')).toBe(ID);
  const scope = { env: process.env, cwd: home.folder };
  expect(await listSessions(scope)).toMatchObject([{ sessionId: ID, storage: 'sqlite', path: home.path }]);
});

test('what is not there is an error with a code', async () => {
  await expect(createBackup(join(home.sessions, 'none.jsonl'))).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  await expect(restoreFromBackup(ID)).rejects.toMatchObject({ code: 'RESTORE_FAILED' });
  await expect(executeClone({ sourceSessionId: ID, noRegister: true })).rejects.toMatchObject({
    code: 'USAGE',
  });
});
