import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, setAge, uuid } from './home.ts';

const ABC1 = 'abc10000-0000-4000-8000-000000000001';
const ABC2 = 'abc20000-0000-4000-8000-000000000002';
const DEF = 'def00000-0000-4000-8000-000000000003';
const MOLT = 'eee00000-0000-4000-8000-000000000004';

/** Two agents of OpenClaw, with an index. */
function makeAgents(): string {
  const home = makeHome();
  const folder = sessionsFolder(home);
  setAge(put(join(folder, `${ABC1}.jsonl`), header(ABC1)), 1);
  setAge(put(join(folder, `${ABC2}.jsonl`), header(ABC2)), 2);
  setAge(put(join(folder, `${DEF}.jsonl`), header(DEF)), 3);
  put(join(folder, 'sessions.json'), {
    'agent:main:main': { sessionId: ABC1, updatedAt: 1 },
    'agent:main:telegram:direct:42': { sessionId: ABC2, updatedAt: 2, label: 'Weekly Report' },
    'agent:main:discord:channel:a/b': { sessionId: DEF, updatedAt: 2, label: 'plans/2026' },
    'agent:main:gone': { sessionId: uuid('9'), updatedAt: 3 },
  });
  const other = sessionsFolder(home, 'molt');
  setAge(put(join(other, `${MOLT}.jsonl`), header(MOLT)), 4);
  put(join(other, 'sessions.json'), { 'agent:molt:main': { sessionId: MOLT, updatedAt: 4 } });
  return home;
}

test.each([
  ['a full id', ABC1, ABC1],
  ['a full id in capitals', ABC1.toUpperCase(), ABC1],
  ['a unique beginning', 'abc2', ABC2],
  ['a session key', 'agent:main:main', ABC1],
  ['a session key in another spelling', 'Agent:main:telegram:dm:42', ABC2],
  ['a session key without its agent', 'telegram:dm:42', ABC2],
  ['the name of the main session', 'main', ABC1],
  ['a label', 'weekly report', ABC2],
  ['a label with a separator', 'plans/2026', DEF],
  ['a key with a separator', 'agent:main:discord:channel:a/b', DEF],
  ['a key with a separator, without its agent', 'discord:channel:a/b', DEF],
  ['the key of another agent', 'agent:molt:main', MOLT],
  ['spaces around it', `  ${DEF} `, DEF],
])('a session is found by %s', async (_, name, sessionId) => {
  const { session, foundBy } = await resolveSession(scopeAt(makeAgents()), name);
  expect([session.sessionId, foundBy]).toEqual([sessionId, 'argument']);
});

test('the key of another agent is looked up there although --agent names one', async () => {
  const scope = scopeAt(makeAgents(), { agentFlag: 'main' });
  expect((await resolveSession(scope, 'agent:molt:main')).session).toMatchObject({
    sessionId: MOLT,
    agentId: 'molt',
  });
});

test('a beginning that several have is an error that lists them with their keys', async () => {
  await expect(resolveSession(scopeAt(makeAgents()), 'abc')).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    details: { partial: 'abc', matches: [ABC2, ABC1] },
    message: `Multiple sessions match 'abc': ${ABC2} (agent:main:telegram:direct:42), ${ABC1} (agent:main:main)`,
  });
});

test('of very many matches the newest are listed and the others counted', async () => {
  const home = makeHome();
  for (let at = 0; at < 25; at++) {
    const id = `aa${String(at).padStart(6, '0')}-0000-4000-8000-000000000000`;
    put(join(sessionsFolder(home), `${id}.jsonl`), header(id));
  }
  const error = await resolveSession(scopeAt(home), 'aa').catch((fault) => fault);
  expect(error.details.matches).toHaveLength(25);
  expect(error.message.split(', ')).toHaveLength(11);
  expect(error.message).toMatch(/, and 15 more$/);
});

test('an id that is the beginning of another means itself', async () => {
  const home = makeHome();
  put(join(sessionsFolder(home), 'work.jsonl'), header('work'));
  put(join(sessionsFolder(home), 'work-2.jsonl'), header('work-2'));
  expect((await resolveSession(scopeAt(home), 'work')).session.sessionId).toBe('work');
});

test('a session and its topics are distinguished by the names of their files', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  const own = put(join(folder, `${ABC1}.jsonl`), header(ABC1));
  const topic = put(join(folder, `${ABC1}-topic-42.jsonl`), header(ABC1));
  expect((await resolveSession(scopeAt(home), ABC1)).session.path).toBe(own);
  expect((await resolveSession(scopeAt(home), `${ABC1}-topic-42`)).session.path).toBe(topic);
  await expect(resolveSession(scopeAt(home), 'abc1')).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    message: expect.stringContaining(topic),
  });
});

test.each(['nothing', 'no/thing', 'agent:main:none', 'agent:nobody:main', '%zz', '..'])(
  'an unknown name, %s, is an error with a hint',
  async (name) => {
    await expect(resolveSession(scopeAt(makeAgents()), name)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: `Session '${name}' not found`,
      hint: "Use 'occ list' to see available sessions",
    });
  },
);

test('an empty name is an error, not the current session', async () => {
  await expect(resolveSession(scopeAt(makeAgents()), ' ')).rejects.toMatchObject({ code: 'USAGE' });
});

test.each([uuid('9'), 'agent:main:gone', '9999'])(
  'a session whose transcript is gone is not found by %s, and the hint says why',
  async (name) => {
    const home = makeAgents();
    await expect(resolveSession(scopeAt(home), name)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining(join(sessionsFolder(home), `${uuid('9')}.jsonl`)),
    });
  },
);

test('an id of another agent is not used, but the hint says where it is', async () => {
  await expect(resolveSession(scopeAt(makeAgents()), MOLT)).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: "It is a session of agent 'molt': add --agent molt",
  });
});

test('an id of another source is not used, but the hint says where it is', async () => {
  const home = makeAgents();
  const [pi, claude] = [uuid('5'), uuid('6')];
  put(join(home, '.pi/agent/sessions/--w--', `2026-01-01T00-00-00-000Z_${pi}.jsonl`), header(pi));
  put(join(home, '.claude/projects/-w', `${claude}.jsonl`), `{"sessionId":"${claude}","cwd":"/w"}\n`);
  await expect(resolveSession(scopeAt(home), pi)).rejects.toMatchObject({
    hint: 'It is a session of pi: add --source pi',
  });
  const scope = scopeAt(home, { stateDirFlag: '.openclaw' });
  await expect(resolveSession(scope, claude)).rejects.toMatchObject({
    hint: 'It is a session of Claude Code: add --source claude (and leave out --state-dir)',
  });
  const shell = scopeAt(home, { env: { CLAUDE_CODE_SESSION_ID: claude } });
  await expect(resolveSession(shell, MOLT)).rejects.toMatchObject({
    hint: "It is a session of agent 'molt': add --source openclaw --agent molt",
  });
});

test('the same id in two sources is ambiguous when both are searched', async () => {
  const home = makeHome();
  put(join(sessionsFolder(home), `${ABC1}.jsonl`), header(ABC1));
  put(join(home, '.claude/projects/-w', `${ABC1}.jsonl`), `{"sessionId":"${ABC1}","cwd":"/w"}\n`);
  await expect(resolveSession(scopeAt(home, { source: 'all' }), ABC1)).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    details: { matches: [ABC1, ABC1] },
    message: expect.stringMatching(/\(openclaw.*\(claude|\(claude.*\(openclaw/),
  });
});

test('with a broken index an id is found; a name that only the index can know fails with what is wrong with it', async () => {
  const home = makeAgents();
  put(join(sessionsFolder(home), 'sessions.json'), '{');
  expect((await resolveSession(scopeAt(home), ABC1)).session.sessionId).toBe(ABC1);
  for (const name of ['agent:main:main', 'a label']) {
    await expect(resolveSession(scopeAt(home), name)).rejects.toMatchObject({ code: 'STORE_PARSE_FAILED' });
  }
});

const MORE = 'Give more characters of the id, or its path';

test('the hint says how the sessions differ', async () => {
  const home = makeAgents();
  const folder = sessionsFolder(home);
  await expect(resolveSession(scopeAt(home), 'abc')).rejects.toMatchObject({ hint: MORE });
  put(join(sessionsFolder(home, 'molt'), `${ABC1}.jsonl`), header(ABC1));
  await expect(resolveSession(scopeAt(home, { allAgents: true }), ABC1)).rejects.toMatchObject({
    hint: 'Choose one with --agent, or give its path',
  });
  put(join(home, '.claude/projects/-w', `${ABC2}.jsonl`), `{"sessionId":"${ABC2}","cwd":"/w"}\n`);
  await expect(resolveSession(scopeAt(home, { source: 'all' }), ABC2)).rejects.toMatchObject({
    hint: 'Choose one with --source, or give its path',
  });
  put(join(folder, `${DEF}-topic-1.jsonl`), header(DEF));
  await expect(resolveSession(scopeAt(home), DEF.slice(0, 6))).rejects.toMatchObject({
    hint: 'They have the same id: give the path of the one that you mean',
  });
});

function putNamed(entries: Record<string, object>): string {
  const home = makeHome();
  const index = Object.entries(entries).map(([sessionId, entry], at) => {
    put(join(sessionsFolder(home), `${sessionId}.jsonl`), header(sessionId));
    return [`agent:main:n${at}`, { sessionId, updatedAt: at + 1, ...entry }];
  });
  put(join(sessionsFolder(home), 'sessions.json'), Object.fromEntries(index));
  return home;
}

test('a label as it is spelt wins over one in another case; two that are equal want an id', async () => {
  const home = putNamed({ [ABC1]: { label: 'Report' }, [ABC2]: { label: 'report' } });
  expect((await resolveSession(scopeAt(home), 'report')).session.sessionId).toBe(ABC2);
  expect((await resolveSession(scopeAt(home), 'Report')).session.sessionId).toBe(ABC1);
  await expect(resolveSession(scopeAt(home), 'REPORT')).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    hint: 'Give the id of the one that you mean',
  });
});

test('a display name is a name; a label goes before it', async () => {
  const home = putNamed({
    [ABC1]: { displayName: 'Family Chat' },
    [ABC2]: { displayName: 'Plans' },
    [DEF]: { label: 'plans' },
  });
  expect((await resolveSession(scopeAt(home), 'Family Chat')).session.sessionId).toBe(ABC1);
  expect((await resolveSession(scopeAt(home), 'family chat')).session.sessionId).toBe(ABC1);
  expect((await resolveSession(scopeAt(home), 'Plans')).session.sessionId).toBe(DEF);
  await expect(resolveSession(scopeAt(home), 'Family')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('the title that a person gave a session of Claude Code is a name', async () => {
  const home = makeHome();
  const project = join(home, '.claude/projects/-w');
  for (const id of [ABC1, ABC2]) put(join(project, `${id}.jsonl`), `{"sessionId":"${id}","cwd":"/w"}\n`);
  put(join(project, ABC2, 'custom-title.json'), { customTitle: 'Big rewrite' });
  put(join(project, ABC1, 'custom-title.json'), '{');
  const scope = scopeAt(home, { source: 'claude' });
  expect((await resolveSession(scope, 'Big rewrite')).session.sessionId).toBe(ABC2);
  expect((await resolveSession(scope, 'abc1')).session.sessionId).toBe(ABC1);
});
