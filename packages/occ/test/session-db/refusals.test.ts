/** Sessions and databases that are left alone, and why; and those that only look as if they had to be. */
import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import {
  type ComposedEvent,
  composeSession,
} from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import { addOpening, addTurn } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { type DatabaseHome, makeHome } from './database-home.ts';
import { changeDatabase, readAsFile, readLinesOf, readMarksOf } from './look-into.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

function compose(sessionId = ID): ComposedEvent[] {
  const session = composeSession({ seed: 4, sessionId });
  addOpening(session);
  for (let turn = 0; turn < 3; turn++) addTurn(session, turn, { rounds: 1, resultLength: 400 });
  return session.events;
}

function make(events: Iterable<object | string> = compose()): DatabaseHome {
  return makeHome([
    { key: 'agent:main:main', sessionId: ID, events, compress: false, entry: { totalTokens: 90_000 } },
    { key: 'agent:main:other', sessionId: OTHER, events: compose(OTHER) },
  ]);
}

let home: DatabaseHome;
beforeEach(() => {
  home = make();
});

/** Refused, also when it is forced, and not a byte is another one. */
async function expectLeftAlone(reason: RegExp, there = home): Promise<void> {
  const bytes = readFileSync(there.path);
  for (const flags of [[], ['--force'], ['--dry-run']]) {
    const { code, message, hint } = await there.refused('edit', ID, '--strip-tools=extreme', ...flags);
    expect([code, message]).toEqual(['SESSION_UNSUPPORTED', expect.stringContaining(ID)]);
    expect(message).toMatch(reason);
    expect(hint).toContain('Nothing was changed');
  }
  expect(readFileSync(there.path).equals(bytes)).toBe(true);
  expect(existsSync(there.sessions)).toBe(false);
  expect(existsSync(`${there.path}-wal`)).toBe(false);
  // The others of the same database are not concerned.
  expect(await there.json('edit', OTHER, '--strip-tools=extreme')).toMatchObject({ changed: true });
}

describe('left alone', () => {
  test('a session whose lines OpenClaw moved out of the database', async () => {
    changeDatabase(
      home.path,
      `PRAGMA foreign_keys = ON; DELETE FROM transcript_events WHERE session_id = '${ID}'`,
      `INSERT INTO session_transcript_cold_archives VALUES
         ('${ID}', '${'0'.repeat(32)}', 'a.zst', '${'0'.repeat(64)}', 20, 9000, 900, 19, 1794767348365, 'file', NULL)`,
    );
    await expectLeftAlone(/cold storage/);
  });

  test('two lines with one id', async () => {
    const events = compose();
    await expectLeftAlone(/same id/, make([...events, { ...events.at(-1), parentId: events.at(-2)!.id }]));
  });

  test('a line that is no JSON, whole or torn', async () => {
    const last = readLinesOf(home.path, ID).at(-1)!;
    for (const text of ['this is no JSON', last.text.slice(0, -5)]) {
      const there = make();
      changeDatabase(
        there.path,
        `UPDATE transcript_events SET event_json = '${text.replaceAll("'", "''")}', event_utf8_bytes = ${Buffer.byteLength(text)}
         WHERE session_id = '${ID}' AND seq = ${last.seq}`,
      );
      await expectLeftAlone(/cannot be read/, there);
    }
  });

  test.each(
    sample(
      [
        [
          'a row of the active path is gone',
          'DELETE FROM session_transcript_active_events WHERE @ AND active_position = 5',
        ],
        ['its end is gone', 'DELETE FROM session_transcript_active_events WHERE @ AND active_position > 10'],
        [
          'there is a gap in it',
          'UPDATE session_transcript_active_events SET active_position = 99 WHERE @ AND active_position = 14',
        ],
        [
          'another entry is in it',
          'UPDATE session_transcript_active_events SET event_seq = 0 WHERE @ AND active_position = 2',
        ],
        [
          'messages are counted in another way',
          'UPDATE session_transcript_active_events SET message_position = 77 WHERE @ AND active_position = 14',
        ],
        [
          'a message is held to be out of the context',
          'UPDATE session_transcript_active_events SET context_eligible = 0 WHERE @ AND active_position = 6',
        ],
        ['it counts more rows', 'UPDATE session_transcript_index_state SET active_event_count = 99 WHERE @'],
        [
          'the conversation goes on from another entry',
          `UPDATE session_transcript_index_state SET leaf_event_id = 'else' WHERE @`,
        ],
      ],
      { gate: 3 },
    ),
  )("OpenClaw's own record of the conversation differs: %s", HUNT, async (_, sql) => {
    changeDatabase(home.path, sql.replace('@', `session_id = '${ID}'`));
    await expectLeftAlone(/OpenClaw's own record of the conversation differs/);
  });

  test('a deleted line, with the rows that referred to it by foreign keys', async () => {
    changeDatabase(
      home.path,
      `PRAGMA foreign_keys = ON; DELETE FROM transcript_events WHERE session_id = '${ID}' AND seq = 7`,
    );
    await expectLeftAlone(/differs/);
  });
});

describe('a database of another version', () => {
  beforeEach(() =>
    changeDatabase(home.path, 'PRAGMA user_version = 24; UPDATE schema_meta SET schema_version = 24'),
  );

  test('is not changed, and the message says what would', async () => {
    const bytes = readFileSync(home.path);
    const { code, message, hint } = await home.refused('edit', ID, '--strip-tools=extreme');
    expect(code).toBe('DATABASE_UNSUPPORTED');
    expect(message).toContain('schema version 24');
    expect(hint).toContain('--force');
    expect(readFileSync(home.path).equals(bytes)).toBe(true);
    expect(existsSync(home.sessions)).toBe(false);
  });

  test('a dry run promises nothing that would be refused', async () => {
    const args = ['edit', ID, '--strip-tools=extreme', '--dry-run'];
    expect((await home.refused(...args)).code).toBe('DATABASE_UNSUPPORTED');
    expect(await home.json(...args, '--force')).toMatchObject({ dryRun: true });
  });

  test('is changed with --force', async () => {
    expect(await home.json('edit', ID, '--strip-tools=extreme', '--force')).toMatchObject({ changed: true });
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });

  test('is refused in any case where a column is missing', async () => {
    changeDatabase(home.path, 'ALTER TABLE transcript_rewrite_watermarks RENAME COLUMN generation TO era');
    const { code, message } = await home.refused('edit', ID, '--strip-tools=extreme', '--force');
    expect([code, message]).toEqual(['DATABASE_UNSUPPORTED', expect.stringContaining('generation')]);
  });

  test('a dry run names a missing column too', async () => {
    changeDatabase(
      home.path,
      'ALTER TABLE session_transcript_active_events RENAME COLUMN message_position TO place',
    );
    const { code, message } = await home.refused('edit', ID, '--strip-tools=extreme', '--dry-run', '--force');
    expect([code, message]).toEqual(['DATABASE_UNSUPPORTED', expect.stringContaining('message_position')]);
  });
});

describe('cleaned all the same, and left with an index that OpenClaw need not make', () => {
  const ACTIVE = `DELETE FROM session_transcript_active_events WHERE session_id = '${ID}' AND active_position > 3`;
  const SEARCH = `DELETE FROM session_transcript_fts_rows WHERE session_id = '${ID}' AND id % 2 = 0`;
  test.each([
    [
      'is to be made anew',
      `UPDATE session_transcript_index_state SET needs_rebuild = 1 WHERE session_id = '${ID}'`,
    ],
    ['lags behind', `UPDATE session_transcript_index_state SET indexed_seq = 3 WHERE session_id = '${ID}'`],
    ['was never made', `DELETE FROM session_transcript_index_state WHERE session_id = '${ID}'`],
  ])('a session whose index %s', async (_, sql) => {
    changeDatabase(home.path, sql, ACTIVE, SEARCH);
    expect(await home.json('edit', ID, '--strip-tools=extreme')).toMatchObject({ changed: true });
    expect(readMarksOf(home.path, ID).needsRebuild).toBe(0);
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });

  test('a session that was never rewritten gets its first generation', async () => {
    changeDatabase(home.path, `DELETE FROM transcript_rewrite_watermarks WHERE session_id = '${ID}'`);
    await home.json('edit', ID, '--strip-tools=extreme');
    expect(readMarksOf(home.path, ID).generation).toMatch(/^[0-9a-f]{32}$/);
    expect(home.journal(ID)[0].generations.before).toBe(null);
  });

  test('a session to which two keys lead, and one to which none does', async () => {
    changeDatabase(
      home.path,
      `UPDATE session_nodes SET current_session_id = '${OTHER}',
         entry_json = json_set(entry_json, '$.sessionId', '${OTHER}') WHERE session_key = 'agent:main:main'`,
    );
    expect(await home.json('edit', ID, '--strip-tools=extreme')).toMatchObject({ changed: true });
    expect(home.journal(ID)[0]).not.toHaveProperty('counters');
    expect(await home.json('edit', OTHER, '--strip-tools=extreme')).toMatchObject({ changed: true });
  });
});

test('for people: one message with its hint on stderr, and nothing on stdout', async () => {
  changeDatabase(
    home.path,
    `UPDATE session_transcript_index_state SET leaf_event_id = 'else' WHERE session_id = '${ID}'`,
  );
  const { code, stdout, stderr } = await home.occ('edit', ID, '--strip-tools=extreme');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('another leaf');
  expect(stderr).toContain('Nothing was changed');
});

test('a session that is not there', async () => {
  const before = readAsFile(home.path, ID);
  expect(await home.refused('edit', 'ffffffff-0000-4000-8000-000000000009', '--strip-tools')).toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  expect(readAsFile(home.path, ID)).toBe(before);
});

test('a line that hangs from the one before it, which would go: refused as a structure that is unknown', async () => {
  const result = { role: 'toolResult', content: 'hello' };
  home = make([
    ...compose(),
    { type: 'message', id: 'e1', parentId: null, message: result },
    { type: 'message', id: 'e2' },
  ]);
  const before = readAsFile(home.path, ID);
  const { code, message, hint } = await home.refused('edit', ID, '--keep=0');
  expect(code).toBe('SESSION_UNSUPPORTED');
  expect(message).toContain('its structure is unknown: ');
  expect(hint).toContain('Nothing was changed');
  expect(readAsFile(home.path, ID)).toBe(before);
  expect(home.journal(ID)).toEqual([]);
});
