import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { changeDatabase, databasePath, putDatabase } from './database.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, setAge, uuid } from './home.ts';

const OLD = 'abc10000-0000-4000-8000-000000000001';
const NEW = 'abc20000-0000-4000-8000-000000000002';
const OTHER = 'def00000-0000-4000-8000-000000000003';

/** A key that was given a second session, and another key. */
function makeSessions(): string {
  const home = makeHome();
  putDatabase(home, [
    { sessionId: OLD, key: 'agent:main:main', age: 1 },
    { sessionId: NEW, key: 'agent:main:main', age: 2 },
    { sessionId: OTHER, key: 'agent:main:telegram:direct:42', age: 3, entry: { label: 'Weekly Report' } },
  ]);
  return home;
}

test.each([
  ['a full id', NEW, NEW],
  ['a full id in capitals', OTHER.toUpperCase(), OTHER],
  ['a unique beginning', 'abc2', NEW],
  ['the id of a former session', OLD, OLD],
  ['the beginning of the id of a former session', 'abc1', OLD],
  ['a session key, which means its current session', 'agent:main:main', NEW],
  ['the name of the main session', 'main', NEW],
  ['a session key in another spelling', 'telegram:dm:42', OTHER],
  ['a label', 'weekly report', OTHER],
])('a session is found by %s', async (_, name, sessionId) => {
  const { session, foundBy } = await resolveSession(scopeAt(makeSessions()), name);
  expect([session.sessionId, session.storage, foundBy]).toEqual([sessionId, 'sqlite', 'argument']);
});

test('the session that was resolved is the one that is listed', async () => {
  const home = makeSessions();
  const listed = JSON.parse((await runOccHere(['list', '--json'], { env: { HOME: home } })).stdout);
  expect(listed).toHaveLength(3);
  for (const session of listed) {
    expect((await resolveSession(scopeAt(home), session.sessionId)).session).toEqual(session);
  }
});

test('a beginning that a former session has too is ambiguous, and the error lists both', async () => {
  await expect(resolveSession(scopeAt(makeSessions()), 'abc')).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    details: { matches: [NEW, OLD] },
    message: expect.stringContaining(`${NEW} (agent:main:main), ${OLD} (formerly agent:main:main)`),
  });
});

test('a key whose session has no lines yet does not mean its former session', async () => {
  const home = makeHome();
  const path = putDatabase(home, [
    { sessionId: OLD, key: 'agent:main:main', age: 1 },
    { sessionId: NEW, key: 'agent:main:main', age: 2, lines: false },
  ]);
  await expect(resolveSession(scopeAt(home), 'agent:main:main')).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: `The database ${path} names it, but has no lines of it`,
  });
});

describe('beside an index of files', () => {
  test('a key and a label that both know mean the session of the database', async () => {
    const home = makeHome();
    const folder = sessionsFolder(home);
    const entry = { label: 'work' };
    putDatabase(home, [{ sessionId: NEW, key: 'agent:main:main', age: 1, entry }]);
    setAge(put(join(folder, `${OLD}.jsonl`), header(OLD)), 9);
    put(join(folder, 'sessions.json'), { main: { sessionId: OLD, updatedAt: 9, ...entry } });
    for (const name of ['agent:main:main', 'main', 'work']) {
      expect((await resolveSession(scopeAt(home), name)).session.sessionId).toBe(NEW);
    }
    expect((await resolveSession(scopeAt(home), 'abc1')).session.sessionId).toBe(OLD);
  });

  test('a label of two agents stays ambiguous although one of them has a database', async () => {
    const home = makeHome();
    const entry = { label: 'work' };
    putDatabase(home, [{ sessionId: NEW, key: 'agent:main:main', entry }]);
    const folder = sessionsFolder(home, 'molt');
    put(join(folder, `${OTHER}.jsonl`), header(OTHER));
    put(join(folder, 'sessions.json'), { 'agent:molt:main': { sessionId: OTHER, updatedAt: 9, ...entry } });
    await expect(resolveSession(scopeAt(home, { allAgents: true }), 'work')).rejects.toMatchObject({
      code: 'AMBIGUOUS_SESSION',
    });
  });
});

test('a session that is in the database of another agent: the hint says of which', async () => {
  const home = makeSessions();
  putDatabase(home, [{ sessionId: uuid('7'), key: 'agent:molt:main' }], 'molt');
  await expect(resolveSession(scopeAt(home), '7777')).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: "It is a session of agent 'molt': add --agent molt",
  });
  expect((await resolveSession(scopeAt(home), 'agent:molt:main')).session.agentId).toBe('molt');
});

describe('by path', () => {
  test('the file that a session would have leads to the database', async () => {
    const home = makeSessions();
    const file = join(sessionsFolder(home), `${OLD}.jsonl`);
    expect((await resolveSession(scopeAt(home), file)).session).toMatchObject({
      sessionId: OLD,
      path: databasePath(home),
      storage: 'sqlite',
      agentId: 'main',
    });
    await expect(resolveSession(scopeAt(home, { source: 'pi' }), file)).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  test('a file that is there is itself', async () => {
    const home = makeSessions();
    const file = put(join(sessionsFolder(home), `${OLD}.jsonl`), header(OLD));
    const { session } = await resolveSession(scopeAt(home), file);
    expect([session.path, session.storage]).toEqual([file, undefined]);
  });

  test('a file that neither has is not found', async () => {
    const home = makeSessions();
    const file = join(sessionsFolder(home), `${uuid('9')}.jsonl`);
    await expect(resolveSession(scopeAt(home), file)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining(`There is no file ${file}`),
    });
  });

  test('a database with one session means that one, wherever it is', async () => {
    const home = makeHome();
    const sessions = [
      { sessionId: OLD, key: 'agent:main:main' },
      { sessionId: NEW, key: 'agent:main:new', lines: false },
    ] as const;
    const path = putDatabase(home, sessions);
    cpSync(path, join(home, 'copy.sqlite'));
    cpSync(path, join(home, 'copy.db'));
    expect((await resolveSession(scopeAt(home), path)).session).toMatchObject({
      sessionId: OLD,
      agentId: 'main',
    });
    for (const name of ['copy.sqlite', './copy.db']) {
      expect((await resolveSession(scopeAt(home), name)).session).toMatchObject({
        sessionId: OLD,
        agentId: null,
        path: join(home, name),
      });
    }
    await expect(resolveSession(scopeAt(home, { source: 'claude' }), path)).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  test('a database with several is no session: the error lists them and says how to name one', async () => {
    const home = makeSessions();
    const path = databasePath(home);
    const error = await resolveSession(scopeAt(home), path).catch((fault) => fault);
    expect(error).toMatchObject({
      code: 'AMBIGUOUS_SESSION',
      details: { matches: [OTHER, NEW, OLD] },
      message: expect.stringContaining(
        [
          `${OTHER} (agent:main:telegram:direct:42)`,
          `${NEW} (agent:main:main)`,
          `${OLD} (formerly agent:main:main)`,
        ].join(', '),
      ),
      hint: expect.stringContaining('holds 3 sessions'),
    });
    const flags = /with (--agent .*)$/.exec(error.hint)![1]!.split(' ');
    expect(flags).toEqual(['--agent', 'main', '--state-dir', join(home, '.openclaw')]);
    cpSync(path, join(home, 'copy.sqlite'));
    await expect(resolveSession(scopeAt(home), 'copy.sqlite')).rejects.toMatchObject({
      code: 'AMBIGUOUS_SESSION',
      hint: expect.stringContaining(`${join(home, 'copy.sqlite.sessions')}/<id>.jsonl`),
    });
  });

  test('a database without sessions, and one of another program', async () => {
    const home = makeHome();
    const path = putDatabase(home, []);
    await expect(resolveSession(scopeAt(home), path)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: `There are no sessions in ${path}`,
    });
    const foreign = join(home, 'places.sqlite');
    changeDatabase(foreign, 'CREATE TABLE places (url TEXT)');
    await expect(resolveSession(scopeAt(home), foreign)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: `There are no sessions in ${foreign}`,
    });
  });

  test.each(['openclaw-agent.sqlite', './openclaw-agent.sqlite', 'agents/main/agent/openclaw-agent.sqlite'])(
    'a database that is not there, %s, is not found',
    async (name) => {
      await expect(resolveSession(scopeAt(makeHome()), name)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
    },
  );
});
