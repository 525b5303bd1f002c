import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { databasePath, putDatabase } from './database.ts';
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

function putSession(home: string, sessionId: string, age: number, lines = '', agentId = 'main'): string {
  const path = put(join(sessionsFolder(home, agentId), `${sessionId}.jsonl`), header(sessionId) + lines);
  setAge(path, age);
  return path;
}

test('without a name and outside of an agent: the most recently active session', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('hello') + CALL);
  putSession(home, TWO, 30);
  putSession(home, THREE, 20);
  const { session, foundBy } = await resolveSession(scopeAt(home, { commandLine: COMMAND }));
  expect([session.sessionId, foundBy]).toEqual([TWO, 'most-recent']);
});

test('a session whose transcript is gone is never the current one', async () => {
  const home = makeHome();
  putSession(home, ONE, 10);
  put(join(sessionsFolder(home), 'sessions.json'), {
    'agent:main:main': { sessionId: TWO, updatedAt: Date.UTC(2030, 0, 1) },
  });
  expect((await resolveSession(scopeAt(home))).session.sessionId).toBe(ONE);
});

test('no sessions: an error that says where it looked and what else there is', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, '', 'molt');
  put(join(home, '.claude/projects/-w', `${TWO}.jsonl`), '{}\n');
  await expect(resolveSession(scopeAt(home))).rejects.toMatchObject({
    code: 'NO_SESSIONS',
    message: "No sessions found for agent 'main'",
    hint: `Looked in ${sessionsFolder(home)}, ${databasePath(home)}. Other agents here: molt; use --agent <id> or --all-agents. There may be sessions of Claude Code: use --source claude.`,
  });
});

test.each([
  [{ source: 'pi' }, 'No sessions found for pi'],
  [{ source: 'claude' }, 'No sessions found for Claude Code'],
  [{ source: 'all' }, 'No sessions found for OpenClaw, pi, Claude Code'],
  [{ allAgents: true }, 'No sessions found for OpenClaw'],
] as const)('no sessions, asked for %j: no agent is named', async (more, message) => {
  const home = makeHome();
  const error = await resolveSession(scopeAt(home, more)).catch((fault) => fault);
  expect(error).toMatchObject({ code: 'NO_SESSIONS', message });
  expect(error.details.agentId).toBeUndefined();
});

test('no sessions of several agents: each is named', async () => {
  const home = makeHome();
  for (const agentId of ['main', 'molt']) put(join(sessionsFolder(home, agentId), 'note.txt'), '');
  await expect(resolveSession(scopeAt(home, { allAgents: true }))).rejects.toMatchObject({
    message: "No sessions found for agents 'main', 'molt'",
  });
});

test('no sessions, but of two other sources: each flag is spelt out', async () => {
  const home = makeHome();
  put(join(home, '.claude/projects/-w', `${TWO}.jsonl`), '{}\n');
  putPi(home, ONE, 10);
  await expect(resolveSession(scopeAt(home))).rejects.toMatchObject({
    hint: expect.stringContaining('use --source pi or --source claude.'),
  });
});

test('a database without sessions: the error says that it was looked into', async () => {
  const home = makeHome();
  const path = putDatabase(home, []);
  await expect(resolveSession(scopeAt(home))).rejects.toMatchObject({
    code: 'NO_SESSIONS',
    hint: `Looked in ${sessionsFolder(home)}, ${path}.`,
  });
});

test('in the shell of an agent: the session whose open call holds this command, not the newest', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('clean yourself') + CALL);
  putSession(home, TWO, 20, userLine('occ edit --strip-tools'));
  putSession(home, THREE, 30, userLine('hi') + callLine({ id: 'c1', arguments: { command: 'ls' } }));
  const { session, foundBy } = await resolveSession(scopeAt(home, SHELL));
  expect([session.sessionId, foundBy]).toEqual([ONE, 'calling-command']);
});

test('entries that are no messages may follow the call, and other calls of it may be answered', async () => {
  const home = makeHome();
  const calls = callLine(
    { id: 'c1', arguments: { command: 'ls' } },
    { id: 'c2', arguments: { command: 'cd /tmp && npx occ edit --strip-tools 2>&1 | tail -3' } },
  );
  const custom = `${JSON.stringify({ type: 'custom', customType: 'openclaw.cache-ttl', id: 'x', data: {} })}\n`;
  putSession(home, ONE, 10, userLine('go') + calls + custom + resultLine('c1') + custom);
  putSession(home, TWO, 20);
  expect(await resolveSession(scopeAt(home, SHELL))).toMatchObject({
    session: { sessionId: ONE },
    foundBy: 'calling-command',
  });
});

const NOT_NAMED = { code: 'SESSION_NOT_NAMED', hint: expect.stringContaining('occ list') };

test('a call that has its result is over: no other session is guessed', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('go') + CALL + resultLine('c1'));
  putSession(home, TWO, 20);
  await expect(resolveSession(scopeAt(home, SHELL))).rejects.toMatchObject({
    ...NOT_NAMED,
    message: expect.stringContaining('shell of OpenClaw'),
    hint: expect.stringContaining('sessionId=<id>'),
  });
  expect((await resolveSession(scopeAt(home, SHELL), TWO)).session.sessionId).toBe(TWO);
});

test.each([
  ['OpenClaw', { OPENCLAW_SHELL: 'exec' }],
  ['pi', { PI_CODING_AGENT: 'true' }],
  ['Claude Code', { CLAUDECODE: '1' }],
])('a shell of %s whose session is not known: each command on one session is refused', async (title, env) => {
  const home = makeHome();
  const path = putSession(home, ONE, 10, userLine('go'));
  put(join(home, '.claude/projects/-w', `${TWO}.jsonl`), `{"sessionId":"${TWO}","cwd":"/w"}\n`);
  putPi(home, THREE, 10);
  const before = readFileSync(path, 'utf8');
  for (const args of [
    ['edit', '--strip-tools'],
    ['restore'],
    ['restore', '--list'],
    ['clone'],
    ['info'],
    ['info', '--source', 'claude'],
    ['info', '--source', 'pi'],
    ['info', '--source', 'openclaw'],
  ]) {
    const { code, stdout, stderr } = await runOccHere([...args, '--json'], {
      env: { HOME: home, ...env },
      cwd: home,
    });
    expect([code, stdout], args.join(' ')).toEqual([1, '']);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ ...NOT_NAMED, message: expect.stringContaining(`shell of ${title}`) });
  }
  expect(readFileSync(path, 'utf8')).toBe(before);
  const { code } = await runOccHere(['info', ONE, '--source', 'openclaw'], {
    env: { HOME: home, ...env },
    cwd: home,
  });
  expect(code).toBe(0);
});

test('a script that an agent runs is not recognised, and changes no other session', async () => {
  const home = makeHome();
  const script = callLine({ id: 'c1', arguments: { command: 'bash clean.sh' } });
  putSession(home, ONE, 10, userLine('clean yourself') + script);
  putSession(home, TWO, 20, userLine('of somebody else'));
  await expect(resolveSession(scopeAt(home, SHELL))).rejects.toMatchObject(NOT_NAMED);
});

test('the calling agent may be any, unless --agent says which', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('go') + CALL, 'molt');
  putSession(home, TWO, 20);
  expect(await resolveSession(scopeAt(home, SHELL))).toMatchObject({
    session: { sessionId: ONE, agentId: 'molt' },
    foundBy: 'calling-command',
  });
  await expect(resolveSession(scopeAt(home, { ...SHELL, agentFlag: 'main' }))).rejects.toMatchObject(
    NOT_NAMED,
  );
});

test('the broken index of another agent does not keep one from cleaning itself', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('go') + CALL);
  put(join(sessionsFolder(home, 'molt'), 'sessions.json'), '{');
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('two agents that run the same command at once: nothing is guessed', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('go') + CALL);
  putSession(home, TWO, 20, userLine('go') + CALL);
  await expect(resolveSession(scopeAt(home, SHELL))).rejects.toMatchObject({
    code: 'AMBIGUOUS_SESSION',
    details: { matches: [TWO, ONE] },
    hint: expect.stringContaining('name the one that you mean'),
  });
});

test('of two such calls the one whose agent holds its lock is running', async () => {
  const home = makeHome();
  const path = putSession(home, ONE, 10, userLine('go') + CALL);
  putSession(home, TWO, 20, userLine('go') + CALL);
  const lock = await acquireLock(`${path}.lock`);
  try {
    expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
  } finally {
    await lock.release();
  }
});

test('a call that was left behind long before is not taken for one that runs', async () => {
  const home = makeHome();
  putSession(home, ONE, 0, userLine('go') + CALL);
  putSession(home, TWO, 7200, userLine('go') + CALL);
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(TWO);
});

test('the exact command wins over one that only looks alike', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, userLine('go') + CALL);
  const alike = callLine({ id: 'c1', arguments: { code: "run(['occ', 'edit', '--strip-tools'])" } });
  putSession(home, TWO, 20, userLine('go') + alike);
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('a long answer before the call, and a torn line behind it, change nothing', async () => {
  const home = makeHome();
  putSession(home, ONE, 10, `${userLine('x'.repeat(3_000_000))}${CALL}{"type":"mess`);
  putSession(home, TWO, 20);
  expect((await resolveSession(scopeAt(home, SHELL))).session.sessionId).toBe(ONE);
});

test('the real command finds the agent that runs it', async () => {
  const home = makeHome();
  const call = callLine({ id: 'c1', arguments: { command: 'cd /tmp; npx occ info --json' } });
  putSession(home, ONE, 10, userLine('how large am I?') + call, 'molt');
  putSession(home, TWO, 20);
  const env = {
    HOME: home,
    OPENCLAW_SHELL: 'exec',
    OPENCLAW_CLI: '1',
    OPENCLAW_STATE_DIR: join(home, '.openclaw'),
  };
  const { code, stdout, stderr } = await runOccHere(['info', '--json'], { env, cwd: home });
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ sessionId: ONE });
});

test('an agent of pi that calls occ on itself', async () => {
  const home = makeHome();
  const folder = join(home, '.pi/agent/sessions/--w--');
  const one = put(join(folder, `2026-01-01T00-00-00-000Z_${ONE}.jsonl`), header(ONE) + userLine('go') + CALL);
  const two = put(join(folder, `2026-01-01T00-00-01-000Z_${TWO}.jsonl`), header(TWO) + userLine('go'));
  setAge(one, 10);
  setAge(two, 20);
  const scope = scopeAt(home, { source: 'pi', commandLine: COMMAND, env: { PI_CODING_AGENT: 'true' } });
  expect(await resolveSession(scope)).toMatchObject({
    session: { sessionId: ONE, source: 'pi' },
    foundBy: 'calling-command',
  });
});

function putPi(home: string, sessionId: string, age: number, lines = ''): void {
  const folder = join(home, '.pi/agent/sessions/--w--');
  setAge(put(join(folder, `2026-01-01T00-00-00-000Z_${sessionId}.jsonl`), header(sessionId) + lines), age);
}

test('an agent of pi beside an OpenClaw: its own session, unless another source is asked for', async () => {
  const home = makeHome();
  putPi(home, ONE, 10, userLine('go') + CALL);
  putSession(home, TWO, 20);
  const shell = { commandLine: COMMAND, env: { PI_CODING_AGENT: 'true' } };
  expect(await resolveSession(scopeAt(home, shell))).toMatchObject({
    session: { sessionId: ONE, source: 'pi' },
    foundBy: 'calling-command',
  });
  for (const asked of [
    { source: 'openclaw' },
    { agentFlag: 'main' },
    { stateDirFlag: '.openclaw' },
  ] as const) {
    await expect(resolveSession(scopeAt(home, { ...shell, ...asked }))).rejects.toMatchObject(NOT_NAMED);
  }
});

test('a shell of pi in which no session has the call: refused', async () => {
  const home = makeHome();
  putPi(home, ONE, 30, userLine('go') + CALL + resultLine('c1'));
  putSession(home, TWO, 20);
  const scope = scopeAt(home, { commandLine: COMMAND, env: { PI_CODING_AGENT: 'true' } });
  await expect(resolveSession(scope)).rejects.toMatchObject(NOT_NAMED);
});

test('a session of pi with such a call is not looked at outside of a shell of pi', async () => {
  const home = makeHome();
  putPi(home, ONE, 30, userLine('go') + CALL);
  putSession(home, TWO, 20);
  await expect(resolveSession(scopeAt(home, SHELL))).rejects.toMatchObject(NOT_NAMED);
});

test('in a shell of Claude Code: the session that it names', async () => {
  const home = makeHome();
  putSession(home, THREE, 99);
  const projects = join(home, '.claude/projects');
  setAge(put(join(projects, '-w', `${ONE}.jsonl`), `{"sessionId":"${ONE}","cwd":"/w"}\n`), 10);
  setAge(put(join(projects, '-w', `${TWO}.jsonl`), `{"sessionId":"${TWO}","cwd":"/w"}\n`), 20);
  for (const more of [{}, { source: 'claude' }, { source: 'all' }] as const) {
    const scope = scopeAt(home, { ...more, env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: ONE } });
    expect(await resolveSession(scope)).toMatchObject({
      session: { sessionId: ONE, source: 'claude', cwd: '/w' },
      foundBy: 'environment',
    });
  }
});

test('in a shell of Claude Code whose transcript is not there: an error that names it, not another session', async () => {
  const home = makeHome();
  put(join(home, '.claude/projects/-w', `${TWO}.jsonl`), `{"sessionId":"${TWO}","cwd":"/w"}\n`);
  const scope = scopeAt(home, { env: { CLAUDE_CODE_SESSION_ID: ONE } });
  await expect(resolveSession(scope)).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    message: expect.stringContaining(ONE),
    hint: expect.stringContaining(join(home, '.claude/projects')),
  });
});

test('--source openclaw in a shell of Claude Code: the session must be named', async () => {
  const home = makeHome();
  putSession(home, THREE, 99);
  const scope = scopeAt(home, { source: 'openclaw', env: { CLAUDE_CODE_SESSION_ID: ONE } });
  await expect(resolveSession(scope)).rejects.toMatchObject(NOT_NAMED);
  expect(await resolveSession(scope, THREE)).toMatchObject({
    session: { sessionId: THREE },
    foundBy: 'argument',
  });
});
