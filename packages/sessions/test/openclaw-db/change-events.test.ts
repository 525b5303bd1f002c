import { beforeEach, describe, expect, test } from 'vitest';
import { openEventChanges, openSearchChanges } from '../../src/openclaw-db/events/change-events.ts';
import type { OpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { composeSession } from './setup/compose-session.ts';
import { addTurn } from './setup/compose-turns.ts';
import { openNewDatabase } from './writing-database.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const TIME = '2026-11-15T18:29:08.365Z';

let database: OpenclawDatabase;
let before: Record<string, unknown>;
beforeEach(() => {
  const compose = (sessionId: string) => {
    const session = composeSession({ seed: 2, sessionId });
    addTurn(session, 0, { rounds: 1, resultLength: 3000 });
    return session.events;
  };
  database = openNewDatabase([
    { key: 'agent:main:main', events: compose(ID) },
    { key: 'agent:main:other', events: compose(OTHER) },
  ]);
  before = readOther();
});

const all = (sql: string, ...values: string[]) => database.db.prepare(sql).all(...values);
const eventAt = (seq: number) =>
  all(`SELECT * FROM transcript_events WHERE session_id = '${ID}' AND seq = ${seq}`)[0];
const identityAt = (seq: number) =>
  all(`SELECT * FROM transcript_event_identities WHERE session_id = '${ID}' AND seq = ${seq}`)[0];
const readOther = () =>
  Object.fromEntries(
    ['transcript_events', 'transcript_event_identities', 'session_transcript_fts_rows'].map((table) => [
      table,
      all(`SELECT * FROM ${table} WHERE session_id = ?`, OTHER),
    ]),
  );
const search = (word: string) =>
  all(
    'SELECT message_id AS id FROM session_transcript_fts WHERE session_transcript_fts MATCH ? AND session_id = ?',
    word,
    ID,
  ).map(({ id }) => id);

describe('lines', () => {
  test('a removed one takes with it what names it by a foreign key', () => {
    database.db.exec(`DELETE FROM session_transcript_active_events WHERE session_id = '${ID}'`);
    openEventChanges(database, ID).remove(3);
    expect([eventAt(3), identityAt(3)]).toEqual([undefined, undefined]);
    expect(readOther()).toEqual(before);
  });

  test('a replaced one is plain, has its own length and the parent that it names', () => {
    expect(eventAt(3)).toMatchObject({ event_json: null });
    const { event_id: id, created_at: createdAt } = identityAt(3)!;
    const line = JSON.stringify({
      type: 'message',
      id,
      parentId: 'elsewhere',
      message: { content: 'Grüße' },
    });
    openEventChanges(database, ID).replace(3, Buffer.from(line));
    expect(eventAt(3)).toEqual({
      session_id: ID,
      seq: 3,
      event_json: line,
      event_zstd: null,
      event_utf8_bytes: Buffer.byteLength(line),
      navigation_json: null,
      created_at: createdAt,
    });
    expect(identityAt(3)).toMatchObject({ event_id: id, parent_id: 'elsewhere' });
    expect(readOther()).toEqual(before);
  });

  test('one whose new parent is given is not read for it', () => {
    const line = Buffer.from(JSON.stringify({ type: 'message', id: 'x', parentId: 'said' }));
    openEventChanges(database, ID).replace(3, line, 'told');
    expect(identityAt(3)!.parent_id).toBe('told');
    openEventChanges(database, ID).replace(3, line, null);
    expect(identityAt(3)!.parent_id).toBe(null);
  });

  test('an added one has an identity, with a key that no other has', () => {
    const changes = openEventChanges(database, ID);
    const add = (seq: number, event: object) => changes.add(seq, Buffer.from(JSON.stringify(event)));
    const message = { role: 'user', content: 'x', idempotencyKey: ' k ' };
    add(50, { type: 'message', id: ' a ', parentId: null, timestamp: TIME, message });
    add(51, { type: 'message', id: 'b', parentId: ' a ', timestamp: Date.parse(TIME) + 1, message });
    add(52, { type: 'custom', timestamp: TIME });
    expect(identityAt(50)).toEqual({
      session_id: ID,
      event_id: 'a',
      seq: 50,
      event_type: 'message',
      parent_id: null,
      message_idempotency_key: 'k',
      created_at: Date.parse(TIME),
    });
    expect(identityAt(51)).toMatchObject({
      event_id: 'b',
      parent_id: ' a ',
      message_idempotency_key: null,
      created_at: Date.parse(TIME) + 1,
    });
    expect(identityAt(52)).toBeUndefined();
    expect(eventAt(52)).toMatchObject({ created_at: Date.parse(TIME), event_zstd: null });
  });
});

describe('full text', () => {
  const line = (id: string, text: string, more: object = {}) =>
    Buffer.from(JSON.stringify({ type: 'message', id, message: { role: 'user', content: text }, ...more }));

  test('a message that is learnt is found, and forgotten no more', () => {
    const changes = openSearchChanges(database, ID);
    changes.learn(line('m', 'a zebra in the room', { timestamp: TIME }), 1);
    expect(search('zebra')).toEqual(['m']);
    const [row] = all("SELECT timestamp, role FROM session_transcript_fts WHERE message_id = 'm'");
    expect(row).toEqual({ timestamp: Date.parse(TIME), role: 'user' });
    changes.forget('m');
    expect(search('zebra')).toEqual([]);
    expect(readOther()).toEqual(before);
  });

  test('one without a time has that of its row', () => {
    openSearchChanges(database, ID).learn(line('m', 'zebra'), 2);
    const [row] = all("SELECT timestamp FROM session_transcript_fts WHERE message_id = 'm'");
    expect(row!.timestamp).toBe(eventAt(2)!.created_at);
  });

  test('one that is known already is known once, by its new text', () => {
    const changes = openSearchChanges(database, ID);
    changes.learn(line('m', 'zebra'), 2);
    changes.learn(line('m', 'giraffe'), 2);
    expect([search('zebra'), search('giraffe')]).toEqual([[], ['m']]);
  });

  test('all of a session can be forgotten, and those of others stay', () => {
    expect(search('Question')).toHaveLength(1);
    openSearchChanges(database, ID).forgetAll();
    expect(search('Question')).toEqual([]);
    expect(readOther()).toEqual(before);
  });
});
