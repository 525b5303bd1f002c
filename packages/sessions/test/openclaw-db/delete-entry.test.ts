import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OpenSessionEntry, SessionEntry } from '../../src/entry/session-entry.ts';
import { openOpenclawDatabaseStore } from '../../src/openclaw-db/entries/database-store.ts';
import { iterateEventLines } from '../../src/openclaw-db/events/event-text.ts';
import { readOpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { alter, ask, MAIN, MAIN_ID, THINK, THINK_ID } from './fixture-rows.ts';
import { copyFixture, describeFolder } from './folder-state.ts';
import { findDatabaseFaults } from './setup/check-database.ts';

const AT = Date.UTC(2026, 10, 16, 1, 2, 3, 4);
const ARCHIVE = `${MAIN_ID}.jsonl.deleted.2026-11-16T01-02-03.004Z`;

function open() {
  const { path, folder, agentFolder } = copyFixture();
  const store = openOpenclawDatabaseStore(path, { now: () => AT, waitMs: 50 });
  return { path, folder, store, sessions: join(agentFolder, 'sessions') };
}

test('a deleted session is in the sessions folder, line for line, and nothing of it is left behind', async () => {
  const { path, store, sessions } = open();
  const lines = readOpenclawDatabase(path, (database) =>
    Buffer.concat([...iterateEventLines(database, MAIN_ID)]),
  );
  const others = () => ask(path, 'SELECT * FROM transcript_events WHERE session_id = ?', THINK_ID);
  const before = others();
  expect(await store.delete(MAIN)).toBe(true);
  expect(others()).toEqual(before);
  expect(readdirSync(sessions)).toEqual([ARCHIVE]);
  expect(readFileSync(join(sessions, ARCHIVE)).equals(lines)).toBe(true);
  for (const table of [
    'session_windows',
    'transcript_events',
    'transcript_event_identities',
    'session_transcript_active_events',
    'session_transcript_index_state',
    'session_transcript_fts_rows',
    'transcript_rewrite_watermarks',
    'trajectory_runtime_events',
  ]) {
    expect(ask(path, `SELECT count(*) AS n FROM ${table} WHERE session_id = ?`, MAIN_ID)).toEqual([{ n: 0 }]);
  }
  expect(ask(path, 'SELECT count(*) AS n FROM session_transcript_fts WHERE session_id = ?', MAIN_ID)).toEqual(
    [{ n: 0 }],
  );
  expect(findDatabaseFaults(path)).toEqual([]);
});

test('an archive of the same moment is not replaced', async () => {
  const { store, sessions } = open();
  mkdirSync(sessions);
  writeFileSync(join(sessions, ARCHIVE), 'older');
  await store.delete(MAIN);
  expect(readdirSync(sessions)).toEqual([ARCHIVE, ARCHIVE.replace('.004Z', '.005Z')]);
  expect(readFileSync(join(sessions, ARCHIVE), 'utf8')).toBe('older');
});

test('a session that another entry still names goes over to that one', async () => {
  const { path, store, sessions } = open();
  await store.update(THINK, (entry) => ({ ...entry, previousSessionId: MAIN_ID }) as SessionEntry);
  expect(await store.delete(MAIN)).toBe(true);
  expect(ask(path, 'SELECT session_key FROM session_windows WHERE session_id = ?', MAIN_ID)).toEqual([
    { session_key: THINK },
  ]);
  expect(ask(path, 'SELECT count(*) AS n FROM transcript_events WHERE session_id = ?', MAIN_ID)).toEqual([
    { n: 22 },
  ]);
  expect(existsSync(sessions)).toBe(false);
  expect(findDatabaseFaults(path)).toEqual([]);
});

test('a session that moves to another key in the same change is not deleted', async () => {
  const { path, store } = open();
  await store.updateMany((draft) => {
    draft.set('agent:main:moved', { ...(draft.get(MAIN) as OpenSessionEntry) });
    draft.delete(MAIN);
  });
  expect(ask(path, 'SELECT session_key FROM session_windows WHERE session_id = ?', MAIN_ID)).toEqual([
    { session_key: 'agent:main:moved' },
  ]);
  expect(ask(path, 'SELECT count(*) AS n FROM transcript_events WHERE session_id = ?', MAIN_ID)).toEqual([
    { n: 22 },
  ]);
  expect(findDatabaseFaults(path)).toEqual([]);
});

test('a session whose lines were moved out is not deleted', async () => {
  const { path, folder, store, sessions } = open();
  alter(
    path,
    `INSERT INTO session_transcript_cold_archives VALUES
       ('${MAIN_ID}', 'g', 's.jsonl.zst', '${'a'.repeat(64)}', 1, 2, 3, 0, 9, 'file', NULL)`,
  );
  const before = describeFolder(folder);
  await expect(store.delete(MAIN)).rejects.toMatchObject({ code: 'TRANSCRIPT_UNSUPPORTED' });
  expect(describeFolder(folder)).toEqual(before);
  expect(existsSync(sessions)).toBe(false);
});

test('when the lines cannot be written to a file, nothing is deleted', async () => {
  const { folder, store, sessions } = open();
  writeFileSync(sessions, 'a file where the folder should be');
  const before = describeFolder(folder);
  await expect(store.delete(MAIN)).rejects.toMatchObject({ code: 'TRANSCRIPT_WRITE_FAILED' });
  expect(describeFolder(folder)).toEqual(before);
});

test('lines that come while the archive is being written are in it too', async () => {
  const { path, store, sessions } = open();
  const add = () =>
    alter(
      path,
      `INSERT INTO transcript_events (session_id, seq, event_json, created_at)
       SELECT session_id, max(seq) + 1, '{"type":"late"}', 1 FROM transcript_events WHERE session_id = '${MAIN_ID}'`,
    );
  expect(await onceAtSync(add, () => store.delete(MAIN))).toBe(true);
  expect(readdirSync(sessions)).toEqual([ARCHIVE]);
  expect(readFileSync(join(sessions, ARCHIVE), 'utf8')).toMatch(/\n\{"type":"late"\}\n$/);
  expect(findDatabaseFaults(path)).toEqual([]);
});

test('a session that keeps growing is not deleted', async () => {
  const { path, store, sessions } = open();
  const grow = () =>
    alter(path, 'UPDATE session_windows SET transcript_updated_at = transcript_updated_at + 1');
  await expect(onEverySync(grow, () => store.delete(MAIN))).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  expect(readdirSync(sessions)).toEqual([]);
  expect(await store.list()).toHaveLength(2);
});

/** Runs `act` while every file that is synced makes `happen` happen first. */
async function onEverySync<T>(happen: () => void, act: () => Promise<T>): Promise<T> {
  const any = await openFile(process.execPath);
  const handles: FileHandle = Object.getPrototypeOf(any);
  await any.close();
  const { sync } = handles;
  handles.sync = function (this: FileHandle) {
    happen();
    return sync.call(this);
  };
  try {
    return await act();
  } finally {
    handles.sync = sync;
  }
}

function onceAtSync<T>(happen: () => void, act: () => Promise<T>): Promise<T> {
  let happened = false;
  return onEverySync(() => {
    if (!happened) happen();
    happened = true;
  }, act);
}
