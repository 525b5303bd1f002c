import { beforeEach, describe, expect, test } from 'vitest';
import {
  compareProjections,
  type Projection,
  readProjection,
  writeProjection,
} from '../../src/openclaw-db/events/projection.ts';
import type { OpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { composeSession } from './setup/compose-session.ts';
import { addOpening, addTurn } from './setup/compose-turns.ts';
import { openNewDatabase } from './writing-database.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

let database: OpenclawDatabase;
beforeEach(() => {
  const compose = (sessionId: string) => {
    const session = composeSession({ seed: 2, sessionId });
    addOpening(session);
    addTurn(session, 0, { rounds: 1, resultLength: 300 });
    return session.events;
  };
  database = openNewDatabase([
    { key: 'agent:main:main', events: compose(ID) },
    { key: 'agent:main:other', events: compose(OTHER) },
  ]);
});

const PATH: Projection = {
  rows: [
    { seq: 1, messagePosition: null, contextEligible: 1 },
    { seq: 4, messagePosition: 0, contextEligible: 0 },
    { seq: 6, messagePosition: 1, contextEligible: 1 },
  ],
  leafEventId: 'the leaf',
  indexedSeq: 8,
  messageCount: 2,
};

test('a path that is written replaces the previous one', () => {
  const other = readProjection(database, OTHER);
  writeProjection(database, ID, PATH, 1234);
  const kept = readProjection(database, ID)!;
  expect({ ...kept, rows: kept.rows.map((row) => ({ ...row })) }).toEqual(PATH);
  expect(compareProjections(PATH, kept)).toBeUndefined();
  const rows = database.db
    .prepare('SELECT * FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position')
    .all(ID);
  expect(rows.map((row) => row.active_position)).toEqual([0, 1, 2]);
  expect(
    database.db.prepare('SELECT * FROM session_transcript_index_state WHERE session_id = ?').get(ID),
  ).toEqual({
    session_id: ID,
    indexed_seq: 8,
    leaf_event_id: 'the leaf',
    needs_rebuild: 0,
    active_event_count: 3,
    active_message_count: 2,
    updated_at: 1234,
  });
  expect(readProjection(database, OTHER)).toEqual(other);
});

test('an empty path is one too', () => {
  writeProjection(database, ID, { rows: [], leafEventId: null, indexedSeq: 8, messageCount: 0 }, 1);
  expect(readProjection(database, ID)).toMatchObject({ rows: [], leafEventId: null, fault: undefined });
});

describe('no path is returned', () => {
  test.each([
    'UPDATE session_transcript_index_state SET needs_rebuild = 1',
    'UPDATE session_transcript_index_state SET indexed_seq = indexed_seq - 1',
    'DELETE FROM session_transcript_index_state',
    'UPDATE session_transcript_active_events SET context_eligible = NULL WHERE active_position = 2',
  ])('where OpenClaw would make it anew: %s', (sql) => {
    database.db.exec(sql);
    expect(readProjection(database, ID)).toBeUndefined();
    writeProjection(database, ID, PATH, 1);
    expect(readProjection(database, ID)).toBeDefined();
  });
});

describe('two paths differ', () => {
  const differ = (change: Partial<Projection>) => compareProjections(PATH, { ...PATH, ...change });
  test.each<[string, Partial<Projection>, RegExp]>([
    ['in length', { rows: PATH.rows.slice(1) }, /3 entries against 2/],
    ['in an entry', { rows: [PATH.rows[0]!, { ...PATH.rows[1]!, seq: 5 }, PATH.rows[2]!] }, /position 1/],
    [
      'in a message',
      { rows: [{ ...PATH.rows[0]!, messagePosition: 0 }, ...PATH.rows.slice(1)] },
      /position 0/,
    ],
    [
      'in what counts',
      { rows: [...PATH.rows.slice(0, 2), { ...PATH.rows[2]!, contextEligible: 0 }] },
      /position 2/,
    ],
    ['in the leaf', { leafEventId: null }, /leaf/],
  ])('%s', (_, change, words) => {
    expect(differ(change)).toMatch(words);
  });

  test.each([
    'UPDATE session_transcript_active_events SET active_position = 99 WHERE active_position = 7',
    'DELETE FROM session_transcript_active_events WHERE active_position = 4',
    'UPDATE session_transcript_index_state SET active_event_count = 99',
  ])('from one with a gap: %s', (sql) => {
    database.db.exec(sql);
    const kept = readProjection(database, ID)!;
    expect(compareProjections(kept, kept)).toMatch(/missing/);
  });
});
