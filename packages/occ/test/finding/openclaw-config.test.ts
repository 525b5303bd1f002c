import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, formatLines } from '../setup/sessions.ts';
import { putDatabase } from './database.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, setAge, uuid } from './home.ts';

const [ONE, TWO, THREE] = [uuid('1'), uuid('2'), uuid('3')];
const idsOf = async (...scope: Parameters<typeof scopeAt>) =>
  (await listSessions(scopeAt(...scope))).map(({ sessionId }) => sessionId);

test.each([
  ['OPENCLAW_HOME', 'oh/.openclaw', (home: string) => ({ OPENCLAW_HOME: join(home, 'oh') })],
  ['OPENCLAW_PROFILE', '.openclaw-work', () => ({ OPENCLAW_PROFILE: 'work' })],
])('%s: that installation, not the one in the home folder', async (_, state, env) => {
  const home = makeHome();
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
  put(join(sessionsFolder(home, 'main', state), `${TWO}.jsonl`), header(TWO));
  expect(await idsOf(home, { env: env(home) })).toEqual([TWO]);
  expect((await resolveSession(scopeAt(home, { env: env(home) }))).session.sessionId).toBe(TWO);
  expect(await idsOf(home, { env: { ...env(home), OPENCLAW_STATE_DIR: join(home, '.openclaw') } })).toEqual([
    ONE,
  ]);
});

test('the default agent of openclaw.json, unless one is named', async () => {
  const home = makeHome();
  put(
    join(home, '.openclaw/openclaw.json'),
    '{ agents: { list: [{ id: "main" }, { id: "ops", default: true }] } }',
  );
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
  put(join(sessionsFolder(home, 'ops'), `${TWO}.jsonl`), header(TWO));
  expect(await idsOf(home)).toEqual([TWO]);
  expect(await idsOf(home, { agentFlag: 'main' })).toEqual([ONE]);
  expect(await idsOf(home, { env: { OPENCLAW_AGENT_ID: 'main' } })).toEqual([ONE]);
  expect(await idsOf(home, { agentConfigured: 'main' })).toEqual([ONE]);
});

test('a configured store whose transcripts OpenClaw wrote into the state folder', async () => {
  const home = makeHome();
  put(join(home, '.openclaw/openclaw.json'), '{ session: { store: "~/st/{agentId}/sessions.json" } }');
  const lines = formatLines(createSessionWithTurns(30, 1, { resultLength: 900, sessionId: TWO }));
  const path = put(join(sessionsFolder(home), `${TWO}.jsonl`), lines);
  const outside = put(join(home, `secrets/${THREE}.jsonl`), header(THREE));
  const index = put(join(home, 'st/main/sessions.json'), {
    'agent:main:main': { sessionId: TWO, sessionFile: path, updatedAt: 1, totalTokens: 99_000 },
    'agent:main:out': { sessionId: THREE, sessionFile: outside, updatedAt: 1 },
  });
  const entry = () => JSON.parse(readFileSync(index, 'utf8'))['agent:main:main'];
  const run = (...args: string[]) => runOccHere([...args, '--json'], { env: { HOME: home }, cwd: home });
  expect(await listSessions(scopeAt(home))).toMatchObject([
    { sessionId: TWO, path, indexPath: index },
    { sessionId: THREE, missing: true, path: join(home, `st/main/${THREE}.jsonl`) },
  ]);
  expect(await run('edit', '--strip-tools')).toMatchObject({ code: 0 });
  expect(entry()).toMatchObject({ sessionFile: path, totalTokensFresh: false });
  expect(await run('restore', 'agent:main:main')).toMatchObject({ code: 0 });
  expect(entry()).toMatchObject({ totalTokens: 99_000 });
  expect(readFileSync(path, 'utf8')).toBe(lines);
});

test('a configured store: listed, edited with its counters, cloned into it and restored', async () => {
  const home = makeHome();
  put(join(home, '.openclaw/openclaw.json'), '{ session: { store: "~/st/{agentId}/index.json" } } // moved');
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
  const lines = formatLines(createSessionWithTurns(30, 1, { resultLength: 900, sessionId: TWO }));
  const path = put(join(home, `st/main/${TWO}.jsonl`), lines);
  const index = put(join(home, 'st/main/index.json'), {
    'agent:main:main': { sessionId: TWO, updatedAt: 1, totalTokens: 99_000 },
  });
  const entry = (key = 'agent:main:main') => JSON.parse(readFileSync(index, 'utf8'))[key];
  const json = async (...args: string[]) => {
    const run = await runOccHere([...args, '--json'], { env: { HOME: home }, cwd: home });
    expect(run, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(run.stdout);
  };
  expect(await json('list')).toMatchObject([
    { sessionId: TWO, sessionKey: 'agent:main:main', indexPath: index },
  ]);
  expect(await json('edit', '--strip-tools')).toMatchObject({ sessionId: TWO, changed: true });
  expect(entry()).toMatchObject({ totalTokensFresh: false });
  await json('restore', path);
  expect(entry()).toMatchObject({ totalTokens: 99_000 });
  expect(readFileSync(path, 'utf8')).toBe(lines);
  const { clonedSessionId, sessionKey } = await json('clone', 'agent:main:main');
  expect(entry(sessionKey)).toMatchObject({ sessionId: clonedSessionId });
  expect(await json('list')).toHaveLength(2);
});

test('the database that a current OpenClaw has for a configured store', async () => {
  const home = makeHome();
  put(join(home, '.openclaw/openclaw.json'), '{ session: { store: "~/st/{agentId}/index.json" } }');
  putDatabase(home, [{ sessionId: ONE, key: 'agent:main:main' }], 'main', join(home, 'st/main/index.sqlite'));
  putDatabase(home, [{ sessionId: TWO, key: 'agent:main:main' }]);
  expect(await idsOf(home)).toEqual([ONE]);
});

test('a store that agents share: each session once, for the agent of its key', async () => {
  const home = makeHome();
  put(
    join(home, '.openclaw/openclaw.json'),
    '{ agents: { list: [{ id: "a" }, { id: "b" }] }, session: { store: "~/shared/s.json" } }',
  );
  for (const [at, id] of [ONE, TWO, THREE].entries())
    setAge(put(join(home, `shared/${id}.jsonl`), header(id)), 10 - at);
  put(join(home, 'shared/s.json'), {
    'agent:a:main': { sessionId: ONE, updatedAt: 1 },
    'agent:b:main': { sessionId: TWO, updatedAt: 1 },
  });
  expect(await idsOf(home)).toEqual([ONE, THREE]);
  expect(await idsOf(home, { agentFlag: 'b' })).toEqual([TWO]);
  expect(await idsOf(home, { allAgents: true })).toEqual([ONE, TWO, THREE]);
});

test('a database that agents share: each session is of the agent that its key names', async () => {
  const home = makeHome();
  const agents = '{ list: [{ id: "main" }, { id: "ops", default: true }] }';
  put(join(home, '.openclaw/openclaw.json'), `{ agents: ${agents}, session: { store: "~/shared/s.json" } }`);
  const sessions = [
    { sessionId: ONE, key: 'agent:main:main', age: 20 },
    { sessionId: TWO, key: 'agent:ops:main', age: 10 },
  ];
  putDatabase(home, sessions, 'main', join(home, 'shared/s.sqlite'));
  expect(await idsOf(home)).toEqual([TWO]);
  expect(await idsOf(home, { agentFlag: 'main' })).toEqual([ONE]);
  expect((await idsOf(home, { allAgents: true })).sort()).toEqual([ONE, TWO]);
});

test('a configuration that cannot be read: a warning where a session is named, refused where it would be guessed', async () => {
  const home = makeHome();
  put(join(home, '.openclaw/openclaw.json'), '{ broken');
  put(join(sessionsFolder(home), `${ONE}.jsonl`), header(ONE));
  const warned: unknown[] = [];
  const scope = scopeAt(home, { warn: (fault) => void warned.push(fault) });
  expect((await resolveSession(scope, ONE)).session.sessionId).toBe(ONE);
  expect(warned[0]).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  await expect(resolveSession(scope)).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
});

test('OPENCLAW_CONFIG_PATH is of the environment: it says nothing of a folder that --state-dir names', async () => {
  const home = makeHome();
  const env = { OPENCLAW_CONFIG_PATH: put(join(home, 'c.json'), '{ session: { store: "~/st/s.json" } }') };
  put(join(home, `st/${ONE}.jsonl`), header(ONE));
  put(join(sessionsFolder(home), `${TWO}.jsonl`), header(TWO));
  expect(await idsOf(home, { env })).toEqual([ONE]);
  expect(await idsOf(home, { env, stateDirFlag: '.openclaw' })).toEqual([TWO]);
});
