import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { takeSnapshot } from '../commands/snapshot.ts';
import { changeDatabase, databasePath, putDatabase, type SessionInDatabase } from './database.ts';
import {
  callLine,
  header,
  makeHome,
  put,
  resultLine,
  scopeAt,
  sessionsFolder,
  setAge,
  userLine,
  uuid,
} from './home.ts';

const [ONE, TWO, THREE] = [uuid('1'), uuid('2'), uuid('3')];
const COMMAND = ['occ', 'edit', '--strip-tools'];
const SHELL = { env: { OPENCLAW_SHELL: 'exec' }, commandLine: COMMAND };
const CALL = callLine({ id: 'c1', arguments: { command: 'occ edit --strip-tools' } });
const CALLING = [userLine('clean yourself'), CALL];

function session(sessionId: string, age: number, lines: readonly string[] = []): SessionInDatabase {
  return { sessionId, key: `agent:main:${sessionId}`, age, lines };
}

function putFile(home: string, sessionId: string, age: number, ...lines: string[]): void {
  setAge(put(join(sessionsFolder(home), `${sessionId}.jsonl`), header(sessionId) + lines.join('')), age);
}

test.each([
  ['the database', 30, TWO],
  ['the files', 10, THREE],
])(
  'outside of an agent: the most recently active session of both eras, here of %s',
  async (_, age, expected) => {
    const home = makeHome();
    putDatabase(home, [session(ONE, 5, CALLING), session(TWO, age)]);
    putFile(home, THREE, 20);
    expect(await resolveSession(scopeAt(home, { commandLine: COMMAND }))).toMatchObject({
      session: { sessionId: expected },
      foundBy: 'most-recent',
    });
  },
);

test('a session without lines, and one that its key left, are not the current one', async () => {
  const home = makeHome();
  const path = putDatabase(home, [
    { ...session(ONE, 10), key: 'agent:main:main' },
    { ...session(TWO, 20), key: 'agent:main:main' },
    { ...session(THREE, 90), lines: false },
  ]);
  changeDatabase(
    path,
    `UPDATE session_windows SET transcript_updated_at = ${Date.UTC(2030, 0, 1)} WHERE session_id = '${ONE}'`,
  );
  expect((await resolveSession(scopeAt(home))).session.sessionId).toBe(TWO);
});

test('a database that cannot be read is an error, although there are files', async () => {
  const home = makeHome();
  putFile(home, ONE, 1);
  const path = put(databasePath(home), 'no database');
  await expect(resolveSession(scopeAt(home))).rejects.toMatchObject({
    code: 'DATABASE_UNREADABLE',
    hint: expect.stringContaining('name one by its id or path'),
    message: expect.stringContaining(path),
  });
});

test.each([false, true])(
  'in the shell of an agent: the session with the open call (compressed: %s)',
  async (compressed) => {
    const home = makeHome();
    putDatabase(home, [
      { ...session(ONE, 10, CALLING), compressed },
      { ...session(TWO, 20, [...CALLING, resultLine('c1')]), compressed },
      { ...session(THREE, 30, [userLine('occ edit --strip-tools')]), compressed },
    ]);
    putFile(home, uuid('4'), 40, userLine('hi'), callLine({ id: 'c1', arguments: { command: 'ls' } }));
    expect(await resolveSession(scopeAt(home, SHELL))).toMatchObject({
      session: { sessionId: ONE, storage: 'sqlite' },
      foundBy: 'calling-command',
    });
  },
);

test('while OpenClaw runs: the call that it wrote last is seen, and nothing is left behind', async () => {
  const home = makeHome();
  const path = putDatabase(home, [session(ONE, 10, [userLine('go')]), session(TWO, 20)]);
  const gateway = new DatabaseSync(path);
  try {
    gateway
      .prepare('INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, 2, ?, 1)')
      .run(ONE, CALL.trimEnd());
    const before = Object.keys(takeSnapshot(home));
    expect(await resolveSession(scopeAt(home, SHELL))).toMatchObject({
      session: { sessionId: ONE },
      foundBy: 'calling-command',
    });
    expect(Object.keys(takeSnapshot(home))).toEqual(before);
  } finally {
    gateway.close();
  }
});

test('results of other calls and lines beside the conversation may follow the call', async () => {
  const home = makeHome();
  const calls = callLine(
    { id: 'c1', arguments: { command: 'ls' } },
    { id: 'c2', arguments: { command: 'cd /tmp && npx occ edit --strip-tools 2>&1 | tail -3' } },
  );
  const custom = JSON.stringify({ type: 'custom', customType: 'openclaw.cache-ttl', id: 'x', data: {} });
  putDatabase(home, [
    session(ONE, 10, [userLine('go'), calls, custom, resultLine('c1'), custom]),
    session(TWO, 20),
  ]);
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('a damaged line keeps only its own session from being the calling one', async () => {
  const home = makeHome();
  const path = putDatabase(home, [
    session(ONE, 10, CALLING),
    { ...session(TWO, 20, CALLING), compressed: true },
  ]);
  changeDatabase(
    path,
    `UPDATE transcript_events SET event_zstd = x'00112233' WHERE session_id = '${TWO}' AND seq = 2`,
  );
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('the database of another agent that cannot be read does not keep one from cleaning itself', async () => {
  const home = makeHome();
  putDatabase(home, [session(ONE, 10, CALLING)]);
  put(databasePath(home, 'molt'), 'no database');
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('a call in a file and one in the database, both as it is now: nothing is guessed', async () => {
  const home = makeHome();
  putDatabase(home, [session(ONE, 10, CALLING)]);
  putFile(home, TWO, 20, ...CALLING);
  await expect(resolveSession(scopeAt(home, SHELL))).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    details: { matches: [TWO, ONE] },
    message: expect.stringContaining(`${TWO}, ${ONE} (agent:main:${ONE})`),
  });
});

test('a call that was left behind long before, in a file of the time before the database, does not count', async () => {
  const home = makeHome();
  putDatabase(home, [session(ONE, 7200, CALLING)]);
  putFile(home, TWO, 0, ...CALLING);
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('an agent that names its own session is known as the caller; one that names another is not', async () => {
  const home = makeHome();
  putDatabase(home, [session(ONE, 10, CALLING), session(TWO, 20)]);
  const foundBy = async (name: string) => (await resolveSession(scopeAt(home, SHELL), name)).foundBy;
  expect(await foundBy(ONE)).toBe('calling-command');
  expect(await foundBy(`agent:main:${ONE}`)).toBe('calling-command');
  expect(await foundBy(TWO)).toBe('argument');
});
