import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { findDatabaseFaults } from './setup/check-database.ts';
import { composeSession } from './setup/compose-session.ts';
import { addOpening, addTurn } from './setup/compose-turns.ts';
import { FIXTURE_DATABASE } from './setup/create-agent-database.ts';
import { makeAgentDatabase } from './setup/make-database.ts';

const MAIN = '5ae5f53e-1a33-4851-aa5f-78e1df28e50b';

/** Runs SQL on a copy, as a program would that knows nothing of OpenClaw's rules. */
function damage(source: string, sql: string): string {
  const path = join(makeTempFolder(), 'damaged.sqlite');
  copyFileSync(source, path);
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  // Node 22 has no such method, and is not defensive.
  database.enableDefensive?.(false);
  database.exec(sql);
  database.close();
  return path;
}

const ACTIVE = 'session_transcript_active_events';
const IDENTITIES = 'transcript_event_identities';

/** What was done to the session, and a fault that must be told. */
const DAMAGE: [string, string, RegExp][] = [
  [
    'a gap in the positions',
    `UPDATE ${ACTIVE} SET active_position = active_position + 1000 WHERE active_position > 5;
     UPDATE ${ACTIVE} SET active_position = active_position - 999 WHERE active_position > 1000`,
    /active event: stored .*"activePosition":7/,
  ],
  [
    'a wrong message position',
    `UPDATE ${ACTIVE} SET message_position = 99 WHERE active_position = 11`,
    /active event: stored .*"messagePosition":99/,
  ],
  [
    'an unset eligibility',
    `UPDATE ${ACTIVE} SET context_eligible = NULL WHERE active_position = 4`,
    /"contextEligible":null/,
  ],
  [
    'an active row too few',
    `DELETE FROM ${ACTIVE} WHERE active_position = 20`,
    /stored nothing, a rebuild gives/,
  ],
  [
    'counts that are off',
    'UPDATE session_transcript_index_state SET active_event_count = 3',
    /index state: stored .*"activeEventCount":3/,
  ],
  [
    'another leaf',
    "UPDATE session_transcript_index_state SET leaf_event_id = '3f386584-a134-4cff-b7e7-335a5cd0986f'",
    /index state: stored .*3f386584/,
  ],
  ['a wanted rebuild', 'UPDATE session_transcript_index_state SET needs_rebuild = 1', /"needsRebuild":1/],
  ['no index state', 'DELETE FROM session_transcript_index_state', /index state: stored nothing/],
  [
    'a stale search row',
    `UPDATE session_transcript_fts SET text = 'of old' WHERE rowid = 2`,
    /search row: stored .*"text":"of old"/,
  ],
  ['a search row too few', 'DELETE FROM session_transcript_fts_rows WHERE id = 3', /search row/],
  ['a search text without its row', 'DELETE FROM session_transcript_fts WHERE rowid = 1', /"text":null/],
  [
    'a search text too many',
    `INSERT INTO session_transcript_fts (text, session_id, message_id, role) VALUES ('x', '${MAIN}', 'm', 'user')`,
    /session_transcript_fts: row \d+ has no/,
  ],
  [
    'an index that does not fit its texts',
    "UPDATE session_transcript_fts_content SET c0 = 'other words' WHERE id = 1",
    /integrity_check: .*session_transcript_fts/,
  ],
  [
    'an event deleted without foreign keys',
    `DELETE FROM transcript_events WHERE session_id = '${MAIN}' AND seq = 8`,
    /foreign_key_check: row \d+ of transcript_event_identities/,
  ],
  ['an identity too few', `DELETE FROM ${IDENTITIES} WHERE seq = 4`, /event 4 has no identity/],
  [
    'an identity of another event',
    `UPDATE ${IDENTITIES} SET event_id = 'someone' WHERE seq = 9`,
    /identity 9: event_id is someone/,
  ],
  [
    'an identity that names no event',
    `INSERT INTO ${IDENTITIES} VALUES ('${MAIN}', 'dangling', 99, 'message', NULL, NULL, 1)`,
    /identity dangling names event 99/,
  ],
  [
    'a parent in the identity alone',
    `UPDATE ${IDENTITIES} SET parent_id = 'elsewhere' WHERE seq = 9`,
    /identity 9: parent_id is elsewhere/,
  ],
  [
    'a parent in the event alone',
    `UPDATE transcript_events SET event_json = replace(event_json, '"parentId":"a', '"parentId":"b'),
       event_utf8_bytes = event_utf8_bytes WHERE event_json LIKE '%"parentId":"a%'`,
    /parent_id is a.*the event says b/,
  ],
  ['another type', `UPDATE ${IDENTITIES} SET event_type = 'custom' WHERE seq = 5`, /identity 5: event_type/],
  [
    'a lost idempotency key',
    `UPDATE ${IDENTITIES} SET message_idempotency_key = NULL`,
    /identity 4: message_idempotency_key is null/,
  ],
  [
    'a wrong number of bytes',
    'UPDATE transcript_events SET event_utf8_bytes = 7 WHERE seq = 5',
    /event 5 has \d+ bytes, and event_utf8_bytes 7/,
  ],
  [
    'another event behind the navigation',
    `UPDATE transcript_events SET navigation_json = json_set(navigation_json, '$.navigation.parentId', 'x')
     WHERE navigation_json IS NOT NULL`,
    /event 6: navigation_json.navigation is not what the event says/,
  ],
  [
    'bytes that do not decompress',
    'UPDATE transcript_events SET event_zstd = zeroblob(40) WHERE seq = 6',
    /event 6 cannot be read/,
  ],
  [
    'text that is no JSON',
    "UPDATE transcript_events SET event_json = '{' WHERE seq = 5",
    /event 5 cannot be read/,
  ],
  ['no generation', 'DELETE FROM transcript_rewrite_watermarks', /generation is not 32 hex digits/],
  [
    'a session of nobody',
    "DELETE FROM session_windows WHERE session_id LIKE '5ae5%'",
    /its session 5ae5.* belongs to no key/,
  ],
  [
    'an entry of another session',
    "UPDATE session_nodes SET entry_json = json_set(entry_json, '$.sessionId', 'other')",
    /current_session_id is not its sessionId/,
  ],
  ['an entry that is no JSON', "UPDATE session_nodes SET entry_json = 'x'", /entry_json is no JSON object/],
  [
    'derived rows without events',
    `DELETE FROM transcript_events WHERE session_id = '${MAIN}'; DELETE FROM ${IDENTITIES}; DELETE FROM ${ACTIVE}`,
    /rows in session_transcript_fts_rows and no events/,
  ],
];

describe('faults of a database', () => {
  test('what OpenClaw wrote has none, and looking at it leaves nothing behind', () => {
    const beside = readdirSync(dirname(FIXTURE_DATABASE));
    const before = readFileSync(FIXTURE_DATABASE);
    expect(findDatabaseFaults(FIXTURE_DATABASE)).toEqual([]);
    expect(readdirSync(dirname(FIXTURE_DATABASE))).toEqual(beside);
    expect(readFileSync(FIXTURE_DATABASE).equals(before)).toBe(true);
  });

  test.each(DAMAGE)('%s is found', (_, sql, fault) => {
    const faults = findDatabaseFaults(damage(FIXTURE_DATABASE, sql));
    expect(faults.join('\n')).toMatch(fault);
  });

  test('what another connection has only in its journal is seen', () => {
    const path = join(makeTempFolder(), 'open.sqlite');
    copyFileSync(FIXTURE_DATABASE, path);
    const writer = new DatabaseSync(path);
    writer.exec('UPDATE session_transcript_index_state SET indexed_seq = 3');
    expect(findDatabaseFaults(path).join('\n')).toContain('"indexedSeq":3');
    writer.close();
  });

  test('a row on a dead branch that is made active is found', () => {
    const session = composeSession({ seed: 4 });
    addOpening(session);
    const question = addTurn(session, 0, { rounds: 1, resultLength: 60 });
    session.addUser('something else', { from: question });
    const source = join(makeTempFolder(), 'branched.sqlite');
    makeAgentDatabase(source, { sessions: [{ key: 'agent:main:main', events: session.events }] });
    expect(findDatabaseFaults(source)).toEqual([]);
    const path = damage(source, `UPDATE ${ACTIVE} SET event_seq = 5 WHERE active_position = 4`);
    expect(findDatabaseFaults(path).join('\n')).toMatch(/active event: stored .*"eventSeq":5/);
  });
});
