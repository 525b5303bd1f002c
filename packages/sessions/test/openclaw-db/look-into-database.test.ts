import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lookIntoDatabaseEntries } from '../../src/openclaw-db/entries/list-entries.ts';
import { iterateEventLines } from '../../src/openclaw-db/events/event-text.ts';
import {
  lookIntoOpenclawDatabase,
  measureDatabaseTranscript,
  readFirstEvent,
} from '../../src/openclaw-db/look-into-database.ts';
import { readOpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { copyFixture } from './folder-state.ts';
import { createAgentDatabase, FIXTURE_DATABASE } from './setup/create-agent-database.ts';

/** A database with what the statements put into it. */
function makeDatabase(sql: string): string {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  createAgentDatabase(path);
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  return path;
}

const node = (key: string, sessionId: string, entry: string) =>
  `INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at)
   VALUES ('${key}', '${sessionId}', '${entry}', 7);`;
const session = (key: string, sessionId: string, transcriptUpdatedAt: number | 'NULL') =>
  `INSERT INTO session_windows (session_id, session_key, created_at, updated_at, transcript_updated_at)
   VALUES ('${sessionId}', '${key}', 1, 5, ${transcriptUpdatedAt});`;
const event = (sessionId: string, seq: number, json: string) =>
  `INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_utf8_bytes)
   VALUES ('${sessionId}', ${seq}, '${json}', 1, ${Buffer.byteLength(json)});`;

test('the sessions that OpenClaw wrote', () => {
  const { path } = copyFixture();
  const sessions = lookIntoOpenclawDatabase(path) ?? [];
  expect(sessions.map(({ entry, ...rest }) => ({ ...rest, model: entry?.model }))).toEqual([
    {
      sessionId: '5ae5f53e-1a33-4851-aa5f-78e1df28e50b',
      sessionKey: 'agent:main:main',
      isCurrent: true,
      updatedAt: 1794767367860,
      isCold: false,
      hasTranscript: true,
      model: 'mock-1',
    },
    {
      sessionId: '6eacbb33-4125-4ff8-ac61-644d1a9ddb89',
      sessionKey: 'agent:main:think',
      isCurrent: true,
      updatedAt: 1794767379445,
      isCold: false,
      hasTranscript: true,
      model: 'mock-a',
    },
  ]);
});

test('no file is no database', () => {
  expect(lookIntoOpenclawDatabase(join(makeTempFolder(), 'none.sqlite'))).toBeUndefined();
  expect(lookIntoOpenclawDatabase(join(FIXTURE_DATABASE, 'below'))).toBeUndefined();
});

test('earlier sessions of a key, keys without a session yet, deleted entries and values that are no entries', () => {
  const path = makeDatabase(
    node('agent:main:a', 'now', '{"sessionId":"now","updatedAt":7}') +
      session('agent:main:a', 'before', 3) +
      session('agent:main:a', 'now', 'NULL') +
      event('before', 0, '{}') +
      node('agent:main:new', 'coming', '{"sessionId":"coming","updatedAt":7}') +
      node('agent:main:odd', 'odd', '[1]') +
      session('agent:main:odd', 'odd', 4) +
      node('agent:main:broken', 'broken', '{"half":') +
      session('agent:main:broken', 'broken', 4) +
      node('agent:main:gone', 'kept', '{}') +
      session('agent:main:gone', 'kept', 4) +
      node('agent:main:gone2', 'nothing', '{}') +
      "UPDATE session_nodes SET entry_valid = -1 WHERE entry_json = '{}';",
  );
  const found = lookIntoOpenclawDatabase(path) ?? [];
  const byId = new Map(found.map((one) => [one.sessionId, one]));
  expect(byId.size).toBe(found.length);
  expect([...byId.keys()].toSorted()).toEqual(['before', 'broken', 'coming', 'kept', 'now', 'odd']);
  expect(byId.get('now')).toMatchObject({
    isCurrent: true,
    updatedAt: 5,
    hasTranscript: false,
    entry: { updatedAt: 7 },
  });
  expect(byId.get('before')).toMatchObject({
    isCurrent: false,
    updatedAt: 3,
    hasTranscript: true,
    entry: undefined,
  });
  expect(byId.get('coming')).toMatchObject({ isCurrent: true, updatedAt: 7, hasTranscript: false });
  expect(byId.get('odd')).toMatchObject({ isCurrent: true, entry: undefined });
  expect(byId.get('broken')).toMatchObject({ isCurrent: true, entry: undefined });
  expect(byId.get('kept')).toMatchObject({ isCurrent: false, entry: undefined });
});

test('a session whose lines were moved out', () => {
  const path = makeDatabase(
    node('agent:main:a', 's', '{"sessionId":"s","updatedAt":7}') +
      session('agent:main:a', 's', 3) +
      `INSERT INTO session_transcript_cold_archives VALUES
         ('s', 'g', 's.jsonl.zst', '${'a'.repeat(64)}', 1, 2, 3, 0, 9, 'file', NULL);`,
  );
  expect(lookIntoOpenclawDatabase(path)).toMatchObject([
    { sessionId: 's', isCold: true, hasTranscript: false },
  ]);
});

test('sizes are those of the lines with their ends, compressed ones included', () => {
  const { path } = copyFixture();
  readOpenclawDatabase(path, (database) => {
    const compressed = database.db
      .prepare('SELECT count(*) AS n FROM transcript_events WHERE event_zstd IS NOT NULL')
      .get();
    expect(compressed?.n).toBeGreaterThan(0);
    for (const { sessionId } of lookIntoOpenclawDatabase(path) ?? []) {
      const lines = Buffer.concat([...iterateEventLines(database, sessionId)]);
      const parsed = lines
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(measureDatabaseTranscript(database, sessionId)).toEqual({
        sizeBytes: lines.length,
        events: parsed.length,
      });
      expect(JSON.parse(readFirstEvent(database, sessionId) ?? '')).toEqual(parsed[0]);
      expect(parsed[0]).toMatchObject({ type: 'session', version: 4, id: sessionId, cwd: '/home/user/ws' });
    }
    expect(measureDatabaseTranscript(database, 'none')).toEqual({ sizeBytes: 0, events: 0 });
    expect(readFirstEvent(database, 'none')).toBeUndefined();
  });
});

const navigation = JSON.stringify({
  version: 1,
  report: { kind: 'ignored' },
  navigation: {},
  reset: {},
  model: {},
  modelBytes: 0,
  modelWithoutCheckpointBytes: 0,
  withoutCustomDataBytes: 0,
});

test('a compressed header, a damaged line, and lines with line ends in them', () => {
  const path = makeDatabase(
    node('agent:main:a', 's', '{}') +
      session('agent:main:a', 's', 3) +
      session('agent:main:a', 'damaged', 3) +
      event('s', 1, '{\n "a": "é\\n", "b": 12345678901234567890\n}') +
      event('s', 2, 'no\nJSON'),
  );
  const db = new DatabaseSync(path);
  const insert = db.prepare('INSERT INTO transcript_events VALUES (?, 0, NULL, 1, ?, ?, ?)');
  const header = JSON.stringify({ type: 'session', cwd: '/a' });
  insert.run('s', zstdCompressSync(header), Buffer.byteLength(header), navigation);
  insert.run('damaged', Buffer.from('what is this'), 5, navigation);
  db.close();
  readOpenclawDatabase(path, (database) => {
    expect(readFirstEvent(database, 's')).toBe(header);
    const lines = Buffer.concat([...iterateEventLines(database, 's')]).toString();
    expect(lines).toBe(`${header}\n{  "a": "é\\n", "b": 12345678901234567890 }\nno JSON\n`);
    expect(() => readFirstEvent(database, 'damaged')).toThrow(
      expect.objectContaining({ code: 'DATABASE_UNREADABLE', message: expect.stringContaining(path) }),
    );
  });
});

test('entries as OpenClaw lists them: by key, without skills and prompts', () => {
  const { path } = copyFixture();
  const entries = lookIntoDatabaseEntries(path)!;
  expect(entries.map(({ key }) => key)).toEqual(['agent:main:main', 'agent:main:think']);
  const [{ entry }] = entries as [(typeof entries)[number]];
  expect(entry.model).toBe('mock-1');
  expect(entry).not.toHaveProperty('skillsSnapshot');
  expect(entry).not.toHaveProperty('systemPromptReport');
});

test('an owner and those who took part are listed; what is no entry, was deleted, or is internal is not', () => {
  const path = makeDatabase(
    [
      node('agent:main:b', 'b', '{"sessionId":"b","updatedAt":7,"skillsSnapshot":{"prompt":"x"}}'),
      node('agent:main:broken', 'c', '{'),
      node('agent:main:gone', 'd', '{}'),
      node('agent:main:internal-session-effects:run-1', 'e', '{"sessionId":"e","updatedAt":7}'),
      "UPDATE session_nodes SET entry_valid = -1 WHERE session_key = 'agent:main:gone';",
      `UPDATE session_nodes SET owner_actor_type = 'human', owner_actor_id = 'ada', owner_assigned_at = 5
       WHERE session_key = 'agent:main:b';`,
      `INSERT INTO session_participants VALUES
       ('agent:main:b', '{"type":"observation","senderKind":"unknown"}', 'cli', 1, 5, 5),
       ('agent:main:b', '{"type":"profile"}', 'ada', 1, 4, 5);`,
    ].join('\n'),
  );
  expect(lookIntoDatabaseEntries(path)).toEqual([
    {
      key: 'agent:main:b',
      entry: {
        sessionId: 'b',
        updatedAt: 7,
        owner: { actor: { type: 'human', id: 'ada' }, assignedAt: 5 },
        participants: [
          { identity: { type: 'profile', id: 'ada' } },
          { identity: { type: 'observation', senderKind: 'unknown', id: 'cli' } },
        ],
        participantCount: 2,
      },
    },
  ]);
  expect(lookIntoDatabaseEntries(join(makeTempFolder(), 'none.sqlite'))).toBeUndefined();
});
