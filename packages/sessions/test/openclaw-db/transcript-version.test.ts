import { beforeEach, describe, expect, test } from 'vitest';
import {
  isSameVersion,
  makeGeneration,
  markRewritten,
  readTranscriptVersion,
} from '../../src/openclaw-db/events/transcript-version.ts';
import type { OpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { composeSession } from './setup/compose-session.ts';
import { addTurn } from './setup/compose-turns.ts';
import { openNewDatabase } from './writing-database.ts';

const ID = '00000000-0000-4000-8000-000000000001';

let database: OpenclawDatabase;
beforeEach(() => {
  const session = composeSession({ seed: 2, sessionId: ID });
  addTurn(session, 0, { rounds: 1, resultLength: 300 });
  database = openNewDatabase([{ key: 'agent:main:main', events: session.events }]);
});

const read = () => readTranscriptVersion(database, ID);
const times = () =>
  database.db
    .prepare(
      `SELECT transcript_updated_at AS updated, transcript_observed_at AS observed, updated_at AS whole
       FROM session_windows WHERE session_id = ?`,
    )
    .get(ID) as { updated: number | null; observed: number | null; whole: number };

test.each([
  `INSERT INTO transcript_events (session_id, seq, event_json, event_utf8_bytes, created_at) VALUES ('${ID}', 99, '{}', 2, 1)`,
  `UPDATE transcript_rewrite_watermarks SET generation = '${'0'.repeat(32)}'`,
  'DELETE FROM transcript_rewrite_watermarks',
  'UPDATE session_windows SET transcript_updated_at = transcript_updated_at + 1',
  'DELETE FROM session_transcript_active_events; DELETE FROM transcript_events WHERE seq > 2',
])('another version after %s', (sql) => {
  const before = read();
  expect(isSameVersion(before, read())).toBe(true);
  database.db.exec(sql);
  expect(isSameVersion(before, read())).toBe(false);
});

test('of a session that is not there nothing is known', () => {
  expect(readTranscriptVersion(database, 'nobody')).toEqual({
    generation: null,
    lastSeq: -1,
    updatedAt: null,
  });
});

test('generations are 32 hex digits, and no two are the same', () => {
  const made = Array.from({ length: 100 }, makeGeneration);
  expect(new Set(made).size).toBe(100);
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{32}$/);
});

describe('a session that is marked as rewritten', () => {
  test.each([
    [1000, 1000, 1001],
    [1000, 5000, 5001],
    [5000, 1000, 5001],
    [1000, null, 1001],
    [null, 9000, 9001],
    [null, null, undefined],
  ])('moves on from %s, seen at %s, by the least that shows', (updated, observed, expected) => {
    database.db
      .prepare('UPDATE session_windows SET transcript_updated_at = ?, transcript_observed_at = ?')
      .run(updated, observed);
    if (observed === 9000) database.db.exec('UPDATE session_windows SET updated_at = 8000');
    const { whole } = times();
    markRewritten(database, ID, 'f'.repeat(32), 77);
    expect(times()).toMatchObject({ updated: expected ?? whole + 1, observed, whole });
    expect(database.db.prepare('SELECT * FROM transcript_rewrite_watermarks').all()).toEqual([
      { session_id: ID, generation: 'f'.repeat(32), updated_at: 77 },
    ]);
  });

  test('gets its first generation where it had none', () => {
    database.db.exec('DELETE FROM transcript_rewrite_watermarks');
    markRewritten(database, ID, 'e'.repeat(32), 78);
    expect(read().generation).toBe('e'.repeat(32));
  });
});
