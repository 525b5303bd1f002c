import { beforeEach, expect, test } from 'vitest';
import { changeEntriesOfSession } from '../../src/openclaw-db/entries/entries-of-session.ts';
import type { OpenclawDatabase } from '../../src/openclaw-db/open-database.ts';
import { composeSession } from './setup/compose-session.ts';
import { openNewDatabase } from './writing-database.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

let database: OpenclawDatabase;
beforeEach(() => {
  const make = (key: string, sessionId: string, totalTokens: number) => ({
    key,
    events: composeSession({ seed: 1, sessionId }).events,
    entry: { totalTokens, note: 'Grüße' },
  });
  database = openNewDatabase([
    make('agent:main:one', ID, 1000),
    make('agent:main:two', OTHER, 2000),
    make('agent:main:three', '00000000-0000-4000-8000-000000000003', 3000),
  ]);
  // A second key that leads to the first session.
  database.db.exec(
    `UPDATE session_nodes SET current_session_id = '${ID}' WHERE session_key = 'agent:main:three'`,
  );
});

const readNodes = () =>
  database.db.prepare('SELECT * FROM session_nodes ORDER BY session_key').all() as {
    session_key: string;
    entry_json: string;
    entry_valid: number;
  }[];
const nodeOf = (key: string) => readNodes().find(({ session_key }) => session_key === key)!;

test('every entry that leads to the session is changed, and no other', () => {
  const other = nodeOf('agent:main:two');
  const keys: string[] = [];
  changeEntriesOfSession(database, ID, (entry, key) => {
    keys.push(key);
    return { ...entry, totalTokens: 5 };
  });
  expect(keys.sort()).toEqual(['agent:main:one', 'agent:main:three']);
  for (const key of keys) {
    expect(JSON.parse(nodeOf(key).entry_json)).toMatchObject({ totalTokens: 5, note: 'Grüße' });
  }
  expect(nodeOf('agent:main:two')).toEqual(other);
});

test.each([1, 0])('an entry whose mark was %i keeps it', (valid) => {
  database.db.exec(`UPDATE session_nodes SET entry_valid = ${valid}`);
  changeEntriesOfSession(database, ID, (entry) => ({ ...entry, totalTokens: 5 }));
  expect(nodeOf('agent:main:one').entry_valid).toBe(valid);
});

test('one that is left is left as it is, to the byte', () => {
  database.db.exec(`UPDATE session_nodes SET entry_json = '{ "sessionId": "${ID}" }'`);
  database.db.exec('UPDATE session_nodes SET entry_valid = 1');
  const before = readNodes();
  changeEntriesOfSession(database, ID, () => undefined);
  expect(readNodes()).toEqual(before);
});

test.each(['no JSON', '[]', '"text"', 'null'])('what is not an entry (%s) is skipped', (json) => {
  database.db.prepare('UPDATE session_nodes SET entry_json = ?').run(json);
  changeEntriesOfSession(database, ID, () => {
    throw new Error('asked');
  });
  expect(nodeOf('agent:main:one').entry_json).toBe(json);
});
