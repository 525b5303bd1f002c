import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionEntry } from '../../src/entry/session-entry.ts';
import { openOpenclawDatabaseStore } from '../../src/openclaw-db/entries/database-store.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { alter, ask, MAIN, MAIN_ID, THINK } from './fixture-rows.ts';
import { copyFixture, describeFolder } from './folder-state.ts';
import { findDatabaseFaults } from './setup/check-database.ts';

const AT = Date.UTC(2026, 10, 16, 1, 2, 3, 4);

function open() {
  const { path, folder, agentFolder } = copyFixture();
  const store = openOpenclawDatabaseStore(path, { now: () => AT, waitMs: 50 });
  return { path, folder, store, sessions: join(agentFolder, 'sessions') };
}

test('reading entries leaves the database as it is', async () => {
  const { folder, store } = open();
  const before = describeFolder(folder);
  expect((await store.list()).map(({ key }) => key)).toEqual([MAIN, THINK]);
  expect(await store.get(MAIN)).toMatchObject({ sessionId: MAIN_ID, totalTokens: 12609 });
  expect(await store.listUnreadable()).toEqual([]);
  expect(describeFolder(folder)).toEqual(before);
});

test('an update keeps every field in its order, and the columns that repeat them follow', async () => {
  const { path, folder, store } = open();
  const before = JSON.parse(String(ask(path, 'SELECT entry_json FROM session_nodes')[0]?.entry_json));
  await store.update(
    MAIN,
    (entry) =>
      ({
        ...entry,
        label: ' Work ',
        status: 'interrupted',
        chatType: 'direct',
        spawnedBy: 'agent:main:boss',
        pinnedAt: 12,
        endedAt: 1.5,
        createdVia: 'telepathy',
        delivery: {
          kind: 'external',
          context: { accountId: 'a' },
          origin: { provider: 'telegram' },
          route: {},
        },
      }) as SessionEntry,
  );
  const [row] = ask(path, 'SELECT * FROM session_nodes WHERE session_key = ?', MAIN);
  const after = JSON.parse(String(row?.entry_json));
  expect(Object.keys(after).slice(0, Object.keys(before).length)).toEqual(Object.keys(before));
  expect(after).toEqual({
    ...before,
    label: ' Work ',
    status: 'interrupted',
    chatType: 'direct',
    spawnedBy: 'agent:main:boss',
    pinnedAt: 12,
    endedAt: 1.5,
    createdVia: 'telepathy',
    delivery: expect.any(Object),
  });
  expect(row).toMatchObject({
    current_session_id: MAIN_ID,
    updated_at: before.updatedAt,
    entry_valid: 1,
    label: 'Work',
    status: 'failed',
    parent_session_key: 'agent:main:boss',
    spawned_by: 'agent:main:boss',
    pinned_at: 12,
    created_via: null,
  });
  const [session] = ask(path, 'SELECT * FROM session_windows WHERE session_id = ?', MAIN_ID);
  expect(session).toMatchObject({
    session_key: MAIN,
    session_scope: 'shared-main',
    status: 'failed',
    chat_type: 'direct',
    channel: 'telegram',
    account_id: 'a',
    display_name: 'Work',
    model: 'mock-1',
    ended_at: null,
    parent_session_key: null,
    transcript_updated_at: 1794767367860,
    transcript_observed_at: 1794767367860,
  });
  expect(findDatabaseFaults(path)).toEqual([]);
  expect(readdirSync(folder)).toEqual(['openclaw-agent.sqlite']);
});

test('a new key gets a row and a session of its own', async () => {
  const { path, store } = open();
  await store.update('agent:main:telegram:group:1', () => ({
    sessionId: 'aaaa1111-0000-4000-8000-000000000000',
    updatedAt: 9,
    sessionStartedAt: 4,
    chatType: 'group',
    subject: 'Friends',
  }));
  const [session] = ask(path, "SELECT * FROM session_windows WHERE session_id LIKE 'aaaa1111%'");
  expect(session).toMatchObject({
    session_key: 'agent:main:telegram:group:1',
    reason: null,
    session_scope: 'group',
    created_at: 4,
    updated_at: 9,
    transcript_updated_at: null,
    transcript_observed_at: 9,
    session_entry_provenance: 1,
    acp_owned: 0,
    display_name: 'Friends',
  });
  expect(ask(path, 'SELECT session_key FROM session_nodes ORDER BY rowid')).toHaveLength(3);
  expect(findDatabaseFaults(path)).toEqual([]);
});

test('a key that is pointed to another session keeps the earlier one', async () => {
  const { path, store } = open();
  alter(path, `INSERT INTO session_members VALUES ('${MAIN}', 'someone', 'owner', 1)`);
  await store.update(MAIN, (entry) => ({ ...entry, updatedAt: 9 }) as SessionEntry);
  expect(ask(path, 'SELECT count(*) AS n FROM session_members')).toEqual([{ n: 1 }]);
  await store.update(MAIN, (entry) => ({ ...entry, sessionId: 'fresh', updatedAt: 10 }) as SessionEntry);
  expect(
    ask(path, 'SELECT session_id FROM session_windows WHERE session_key = ? ORDER BY rowid', MAIN),
  ).toEqual([{ session_id: MAIN_ID }, { session_id: 'fresh' }]);
  expect(ask(path, 'SELECT count(*) AS n FROM session_members')).toEqual([{ n: 0 }]);
  expect(ask(path, 'SELECT count(*) AS n FROM transcript_events WHERE session_id = ?', MAIN_ID)).toEqual([
    { n: 22 },
  ]);
  expect(findDatabaseFaults(path)).toEqual([]);
});

test.each([
  ['without a session id', { updatedAt: 1 }],
  ['with an empty session id', { sessionId: '', updatedAt: 1 }],
  ['without a time', { sessionId: 's' }],
  ['with a time between two milliseconds', { sessionId: 's', updatedAt: 1.5 }],
])('an entry %s is refused, since OpenClaw would not read it', async (_, entry) => {
  const { folder, store } = open();
  const before = describeFolder(folder);
  await expect(store.update('agent:main:new', () => entry as SessionEntry)).rejects.toMatchObject({
    code: 'STORE_ENTRY_INVALID',
  });
  expect(describeFolder(folder)).toEqual(before);
});

test.each([
  ['a word', 'main'],
  ['capitals', 'agent:main:Main'],
  ['space around it', 'agent:main:x '],
  ['no rest', 'agent:main:'],
])('a new key with %s is refused, since OpenClaw would refuse the database', async (_, key) => {
  const { folder, store } = open();
  const before = describeFolder(folder);
  await expect(store.update(key, () => ({ sessionId: 's', updatedAt: 1 }))).rejects.toMatchObject({
    code: 'INVALID_SESSION_KEY',
  });
  expect(describeFolder(folder)).toEqual(before);
});

test('a new main key follows the name that OpenClaw recorded for it', async () => {
  const { path, store } = open();
  await store.delete(MAIN);
  alter(path, "UPDATE session_key_contract SET main_key = 'work'");
  const fresh = () => ({ sessionId: 's', updatedAt: 1 });
  await expect(store.update(MAIN, fresh)).rejects.toMatchObject({ code: 'INVALID_SESSION_KEY' });
  expect(await store.update('agent:main:work', fresh)).toEqual(fresh());
});

test('a key that OpenClaw made is changed whatever it is, and so are its parents; new parents are checked', async () => {
  const { path, store } = open();
  const odd = 'agent:main:matrix:channel:!Room:Example';
  alter(
    path,
    `INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at)
     VALUES ('${odd}', 'm', '{"sessionId":"m","updatedAt":1,"spawnedBy":"${odd}"}', 1)`,
  );
  await store.update(odd, (entry) => ({ ...entry, label: 'x' }) as SessionEntry);
  expect(await store.get(odd)).toEqual({ sessionId: 'm', updatedAt: 1, spawnedBy: odd, label: 'x' });
  const change = store.update(odd, (entry) => ({ ...entry, parentSessionKey: 'Somebody' }) as SessionEntry);
  await expect(change).rejects.toMatchObject({ code: 'STORE_ENTRY_INVALID' });
});

test('an entry that OpenClaw deleted, keeping its session, is not there; the key can be used again', async () => {
  const { path, store } = open();
  alter(path, `UPDATE session_nodes SET entry_json = '{}' WHERE session_key = '${MAIN}'`);
  alter(path, `UPDATE session_nodes SET entry_valid = -1 WHERE session_key = '${MAIN}'`);
  expect(await store.get(MAIN)).toBeUndefined();
  expect((await store.list()).map(({ key }) => key)).toEqual([THINK]);
  expect(await store.delete(MAIN)).toBe(false);
  await store.update(MAIN, () => ({ sessionId: 'again', updatedAt: 2 }));
  expect(await store.get(MAIN)).toEqual({ sessionId: 'again', updatedAt: 2 });
  expect(ask(path, 'SELECT entry_valid FROM session_nodes WHERE session_key = ?', MAIN)).toEqual([
    { entry_valid: 1 },
  ]);
});

test('while another process writes, changes fail as busy and leave no archive', async () => {
  const { path, store, sessions } = open();
  const writer = startChild(new URL('./children/keep-open.ts', import.meta.url), [path, 'in a transaction']);
  await writer.printed('ready');
  await expect(
    store.update(MAIN, (entry) => ({ ...entry, updatedAt: 1 }) as SessionEntry),
  ).rejects.toMatchObject({
    code: 'DATABASE_BUSY',
  });
  await expect(store.delete(MAIN)).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
  expect(existsSync(sessions) ? readdirSync(sessions) : []).toEqual([]);
  expect((await store.list()).length).toBe(2);
  writer.process.stdin?.end();
  await writer.ended;
  await store.update(MAIN, (entry) => ({ ...entry, updatedAt: 1 }) as SessionEntry);
  expect((await store.get(MAIN))?.updatedAt).toBe(1);
});

test('several processes that change one entry at once lose nothing', async () => {
  const { path, folder, store } = open();
  const count = () => startChild(new URL('./children/count-up.ts', import.meta.url), [path, MAIN, '20']);
  const codes = await Promise.all([count(), count(), count()].map((child) => child.ended));
  expect(codes).toEqual([0, 0, 0]);
  expect((await store.get(MAIN))?.compactionCount).toBe(60);
  expect(readdirSync(folder)).toEqual(['openclaw-agent.sqlite']);
});

test('an entry that another program changed while a change waited is left to it', async () => {
  const { path, store } = open();
  const change = store.update(MAIN, async (entry) => {
    await sleep(0);
    alter(path, `UPDATE session_nodes SET entry_json = json_set(entry_json, '$.label', 'theirs')`);
    return { ...entry, label: 'ours' } as SessionEntry;
  });
  await expect(change).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  expect((await store.get(MAIN))?.label).toBe('theirs');
});

test('another schema version is read, and written only on demand', async () => {
  const { path, folder, store } = open();
  alter(path, 'PRAGMA user_version = 24; UPDATE schema_meta SET schema_version = 24');
  const before = describeFolder(folder);
  expect(await store.list()).toHaveLength(2);
  const label = (entry: Readonly<SessionEntry> | undefined) => ({ ...entry, label: 'x' }) as SessionEntry;
  await expect(store.update(MAIN, label)).rejects.toMatchObject({ code: 'DATABASE_UNSUPPORTED' });
  expect(describeFolder(folder)).toEqual(before);
  await openOpenclawDatabaseStore(path, { force: true }).update(MAIN, label);
  expect((await store.get(MAIN))?.label).toBe('x');
});

test('a missing database is empty, and is not made', async () => {
  const path = join(makeTempFolder(), 'none', 'openclaw-agent.sqlite');
  const store = openOpenclawDatabaseStore(path);
  expect(await store.list()).toEqual([]);
  await expect(store.update(MAIN, () => ({ sessionId: 's', updatedAt: 1 }))).rejects.toMatchObject({
    code: 'DATABASE_UNREADABLE',
  });
  expect(existsSync(path)).toBe(false);
});

test('watching reports changes by other processes, and a database that becomes unreadable', async () => {
  const { path, folder, store } = open();
  const updated = new Set<string>();
  const errors: unknown[] = [];
  onTestFinished(() => store.close());
  store.watch(
    (change) => change.updated.map((key) => updated.add(key)),
    (error) => errors.push(error),
  );
  expect(readdirSync(folder)).toEqual(['openclaw-agent.sqlite']);
  const writer = startChild(new URL('./children/keep-open.ts', import.meta.url), [path, 'relabelled']);
  await writer.printed('ready');
  while (!updated.has(MAIN)) await sleep(5);
  expect([...updated]).toEqual([MAIN]);
  writer.process.stdin?.end();
  await writer.ended;
  expect(errors).toEqual([]);
  cpSync(new URL(import.meta.url).pathname, path);
  while (errors.length === 0) await sleep(5);
  expect(errors[0]).toMatchObject({ code: 'DATABASE_UNREADABLE' });
});
