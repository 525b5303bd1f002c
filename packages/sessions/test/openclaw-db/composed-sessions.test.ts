import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { arbitraryOddSession } from './setup/arbitrary-odd-session.ts';
import { arbitrarySession } from './setup/arbitrary-session.ts';
import { findDatabaseFaults } from './setup/check-database.ts';
import { readStoredEvents } from './setup/check-events.ts';
import { generateEvents } from './setup/compose-turns.ts';
import { FIXTURE_DATABASE } from './setup/create-agent-database.ts';
import { makeAgentDatabase, type SessionToMake } from './setup/make-database.ts';

const COMPRESS = [true, false, () => true, (_: unknown, index: number) => index % 2 === 0];

/** Without times of writing, and without the one byte count that the fixture has from before it was edited. */
const COMPARED = [
  'SELECT * FROM transcript_event_identities ORDER BY session_id, seq',
  'SELECT * FROM session_transcript_active_events ORDER BY session_id, active_position',
  `SELECT session_id, indexed_seq, leaf_event_id, needs_rebuild, active_event_count, active_message_count
   FROM session_transcript_index_state ORDER BY session_id`,
  'SELECT * FROM session_transcript_fts_rows ORDER BY id',
  'SELECT rowid, * FROM session_transcript_fts ORDER BY rowid',
  `SELECT session_id, seq, event_json, event_zstd IS NULL, event_utf8_bytes, created_at,
     json_remove(navigation_json, '$.withoutCustomDataBytes') FROM transcript_events ORDER BY session_id, seq`,
  `SELECT session_id, navigation_json FROM transcript_events WHERE seq != 16 ORDER BY session_id, seq`,
];

/** Many sessions in one database: it is the making of a file that costs. */
function sessionsOf(drawn: readonly object[][]): SessionToMake[] {
  return drawn.map((events, index) => {
    const compress = COMPRESS[index % COMPRESS.length]!;
    return { key: `agent:main:t${index}`, sessionId: `session-${index}`, events, compress, createdAt: 1000 };
  });
}

describe('a made database', () => {
  test.each([
    ['sessions as they are written', fc.sample(arbitrarySession, { seed: 20_261_116, numRuns: 120 })],
    ['odd sessions', fc.sample(arbitraryOddSession, { seed: 20_261_116, numRuns: 120 })],
  ] as [string, object[][]][])('has no faults with %s', (_, drawn) => {
    const path = join(makeTempFolder(), 'made.sqlite');
    makeAgentDatabase(path, { sessions: sessionsOf(drawn) });
    expect(findDatabaseFaults(path)).toEqual([]);
  });

  test('has the rows that OpenClaw wrote for the same events', () => {
    const path = join(makeTempFolder(), 'made.sqlite');
    const fixture = new DatabaseSync(new URL(`file://${FIXTURE_DATABASE}?immutable=1`), { readOnly: true });
    const windows = fixture.prepare('SELECT session_id AS id, session_key AS key FROM session_windows').all();
    const sessions = windows.map(({ id, key }) => {
      const { events } = readStoredEvents(fixture, String(id));
      return { key: String(key), sessionId: String(id), events: events.map(({ json }) => json) };
    });
    makeAgentDatabase(path, { sessions });
    const made = new DatabaseSync(path, { readOnly: true });
    for (const table of COMPARED) {
      expect(made.prepare(table).all(), table).toEqual(fixture.prepare(table).all());
    }
    made.close();
    fixture.close();
  });

  test('holds what was given, byte for byte, plain or compressed', () => {
    const folder = makeTempFolder();
    const text = `{"type":"message", "id":"m1","parentId":null,"message":{"role":"user","content":"h\\u0065llo"}}`;
    const events = [...generateEvents({ seed: 3, turns: 2 }), text];
    const path = join(folder, 'made.sqlite');
    const made = makeAgentDatabase(path, {
      sessions: COMPRESS.map((compress, index) => ({
        key: `agent:main:${index}`,
        sessionId: `s${index}`,
        events,
        compress,
      })),
    });
    expect(readdirSync(folder)).toEqual(['made.sqlite']);
    expect(made.map(({ sessionId }) => sessionId)).toEqual(['s0', 's1', 's2', 's3']);
    const database = new DatabaseSync(path, { readOnly: true });
    const given = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    const rows = database.prepare('SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq');
    expect(rows.all('s1').map(({ event_json }) => event_json)).toEqual(given);
    const compressed = made.map(({ sessionId }) => {
      return rows.all(sessionId).filter(({ event_zstd }) => event_zstd !== null).length;
    });
    const results = events.filter((event) => JSON.stringify(event).includes('"role":"toolResult"')).length;
    expect(compressed).toEqual([results, 0, given.length - 1, Math.ceil(given.length / 2) - 1]);
    database.close();
    expect(findDatabaseFaults(path)).toEqual([]);
  });

  test('keeps the given entry, and the last of several sessions of one key is the current one', () => {
    const path = join(makeTempFolder(), 'made.sqlite');
    const session = (sessionId: string) => ({
      key: 'agent:main:main',
      sessionId,
      events: generateEvents({ seed: 1, turns: 1 }),
    });
    makeAgentDatabase(path, {
      agentId: 'main',
      sessions: [
        session('old'),
        { ...session('new'), entry: { label: 'Work', totalTokens: 9, updatedAt: 77 } },
      ],
    });
    expect(findDatabaseFaults(path)).toEqual([]);
    const database = new DatabaseSync(path, { readOnly: true });
    const node = database.prepare('SELECT * FROM session_nodes').all();
    database.close();
    expect(node).toMatchObject([
      { current_session_id: 'new', label: 'Work', updated_at: 77, entry_valid: 1 },
    ]);
    expect(JSON.parse(String(node[0]!.entry_json))).toMatchObject({ sessionId: 'new', totalTokens: 9 });
  });
});

describe('a composed session', () => {
  test('is the same for the same seed, and another for another', () => {
    const compose = (seed: number) => JSON.stringify([...generateEvents({ seed, turns: 5 })]);
    expect(compose(1)).toBe(compose(1));
    expect(compose(1)).not.toBe(compose(2));
  });

  test('has a result for each call, and a parent for each entry', () => {
    const events = [...generateEvents({ seed: 9, turns: 6, rounds: 4, thinking: true, contextUsage: true })];
    const text = JSON.stringify(events);
    const calls = [...text.matchAll(/"type":"toolCall","id":"([^"]+)"/g)].map(([, id]) => id);
    const results = [...text.matchAll(/"toolCallId":"([^"]+)"/g)].map(([, id]) => id);
    expect(calls).toHaveLength(30);
    expect(results).toEqual(calls);
    events.slice(2).forEach((event, index) => void expect(event.parentId).toBe(events[index + 1]!.id));
  });

  test('is as long as asked for', () => {
    const path = join(makeTempFolder(), 'made.sqlite');
    const events = generateEvents({ seed: 7, bytes: 3_000_000 });
    makeAgentDatabase(path, { sessions: [{ key: 'agent:main:main', events, compress: false }] });
    expect(statSync(path).size).toBeGreaterThan(3_000_000);
    expect(findDatabaseFaults(path)).toEqual([]);
  });
});
