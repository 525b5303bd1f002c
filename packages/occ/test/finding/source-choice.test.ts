import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import type { SearchScope } from '../../src/storage/contract/found-session.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, uuid } from './home.ts';

const [OPENCLAW, PI, CLAUDE] = [uuid('1'), uuid('2'), uuid('3')];

function putOpenclaw(home: string, agentId = 'main', sessionId = OPENCLAW, state = '.openclaw'): void {
  put(join(sessionsFolder(home, agentId, state), `${sessionId}.jsonl`), header(sessionId));
}

function putPi(home: string): void {
  put(join(home, '.pi/agent/sessions/--w--', `2026-01-01T00-00-00-000Z_${PI}.jsonl`), header(PI));
}

function putClaude(home: string): void {
  put(join(home, '.claude/projects/-w', `${CLAUDE}.jsonl`), `{"sessionId":"${CLAUDE}","cwd":"/w"}\n`);
}

async function ids(scope: SearchScope): Promise<string[]> {
  return (await listSessions(scope)).map(({ sessionId }) => sessionId).sort();
}

test('openclaw is the default where it exists', async () => {
  const home = makeHome();
  putOpenclaw(home);
  putPi(home);
  putClaude(home);
  expect(await ids(scopeAt(home))).toEqual([OPENCLAW]);
});

test.each([
  ['pi', putPi, PI],
  ['claude', putClaude, CLAUDE],
])('%s is the default where it is the only one that exists', async (_, putOnly, sessionId) => {
  const home = makeHome();
  putOnly(home);
  expect(await ids(scopeAt(home))).toEqual([sessionId]);
});

test('between pi and claude nothing is guessed', async () => {
  const home = makeHome();
  putPi(home);
  putClaude(home);
  expect(await ids(scopeAt(home))).toEqual([]);
});

test('a state folder that the environment names means openclaw, even before it exists', async () => {
  const home = makeHome();
  putPi(home);
  expect(await ids(scopeAt(home, { env: { OPENCLAW_STATE_DIR: join(home, 'none') } }))).toEqual([]);
});

test('claude is the default in a shell of Claude Code', async () => {
  const home = makeHome();
  putOpenclaw(home);
  putClaude(home);
  expect(await ids(scopeAt(home, { env: { CLAUDE_CODE_SESSION_ID: CLAUDE } }))).toEqual([CLAUDE]);
});

test.each([{ stateDirFlag: '.openclaw' }, { agentFlag: 'main' }, { allAgents: true }])(
  '%j means openclaw, in a shell of Claude Code too',
  async (flag) => {
    const home = makeHome();
    putOpenclaw(home);
    putClaude(home);
    expect(await ids(scopeAt(home, { ...flag, env: { CLAUDE_CODE_SESSION_ID: CLAUDE } }))).toEqual([
      OPENCLAW,
    ]);
  },
);

test.each([
  ['--state-dir', { stateDirFlag: '.openclaw', source: 'pi' }],
  ['--agent', { agentFlag: 'main', source: 'claude' }],
  ['--all-agents', { allAgents: true, source: 'claude' }],
] as const)('%s contradicts a source without agents', async (flag, more) => {
  const home = makeHome();
  putOpenclaw(home);
  await expect(listSessions(scopeAt(home, more))).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(flag),
  });
});

test('--source chooses, and all lists everything of all agents', async () => {
  const home = makeHome();
  putOpenclaw(home);
  putOpenclaw(home, 'molt', uuid('4'));
  putPi(home);
  putClaude(home);
  expect(await ids(scopeAt(home, { source: 'pi' }))).toEqual([PI]);
  expect(await ids(scopeAt(home, { source: 'claude' }))).toEqual([CLAUDE]);
  expect(await ids(scopeAt(home, { source: 'all' }))).toEqual([OPENCLAW, PI, CLAUDE, uuid('4')]);
  expect(await ids(scopeAt(home, { source: 'all', agentFlag: 'molt' }))).toEqual([PI, CLAUDE, uuid('4')]);
});

test('the state folder: flag, then OCC_STATE_DIRECTORY, OPENCLAW_STATE_DIR, CLAWDBOT_STATE_DIR, configuration', async () => {
  const home = makeHome();
  const folders = ['flag', 'occ', 'openclaw', 'clawdbot', 'configured', '.openclaw'];
  for (const [at, state] of folders.entries()) putOpenclaw(home, 'main', uuid(String(at)), state);
  const full = {
    stateDirFlag: 'flag',
    stateDirConfigured: '~/configured',
    env: { OCC_STATE_DIRECTORY: 'occ', OPENCLAW_STATE_DIR: '~/openclaw', CLAWDBOT_STATE_DIR: 'clawdbot' },
  };
  expect(await ids(scopeAt(home, full))).toEqual([uuid('0')]);
  expect(await ids(scopeAt(home, { ...full, stateDirFlag: undefined }))).toEqual([uuid('1')]);
  const { OCC_STATE_DIRECTORY: _, ...fewer } = full.env;
  expect(await ids(scopeAt(home, { stateDirConfigured: full.stateDirConfigured, env: fewer }))).toEqual([
    uuid('2'),
  ]);
  const env = { CLAWDBOT_STATE_DIR: fewer.CLAWDBOT_STATE_DIR };
  expect(await ids(scopeAt(home, { stateDirConfigured: full.stateDirConfigured, env }))).toEqual([uuid('3')]);
  expect(await ids(scopeAt(home, { stateDirConfigured: full.stateDirConfigured }))).toEqual([uuid('4')]);
  expect(await ids(scopeAt(home))).toEqual([uuid('5')]);
});

test('without any of them the first that exists of .openclaw, .clawdbot, .openbot', async () => {
  const home = makeHome();
  putOpenclaw(home, 'main', uuid('7'), '.openbot');
  expect(await ids(scopeAt(home))).toEqual([uuid('7')]);
  putOpenclaw(home, 'main', uuid('8'), '.clawdbot');
  expect(await ids(scopeAt(home))).toEqual([uuid('8')]);
  putOpenclaw(home, 'main', uuid('9'), '.openclaw');
  expect(await ids(scopeAt(home))).toEqual([uuid('9')]);
});

test('a --state-dir that is a file is called one that is no folder', async () => {
  const home = makeHome();
  const file = put(join(home, 'file'), '');
  await expect(listSessions(scopeAt(home, { stateDirFlag: 'file' }))).rejects.toMatchObject({
    code: 'USAGE',
    message: `${file} is not a folder`,
  });
});

test('a --state-dir that is not there is an error, an empty one is an empty list', async () => {
  const home = makeHome();
  await expect(listSessions(scopeAt(home, { stateDirFlag: 'nowhere' }))).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(join(home, 'nowhere')),
  });
  mkdirSync(join(home, 'empty'));
  expect(await ids(scopeAt(home, { stateDirFlag: 'empty' }))).toEqual([]);
});

test('the agent: flag, then CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID, configuration, main', async () => {
  const home = makeHome();
  const agents = ['flag', 'clawdbot', 'openclaw', 'configured', 'main'];
  for (const [at, agentId] of agents.entries()) putOpenclaw(home, agentId, uuid(String(at)));
  const env = { CLAWDBOT_AGENT_ID: 'clawdbot', OPENCLAW_AGENT_ID: 'openclaw' };
  const agentConfigured = 'configured';
  expect(await ids(scopeAt(home, { agentFlag: 'Flag', agentConfigured, env }))).toEqual([uuid('0')]);
  expect(await ids(scopeAt(home, { agentConfigured, env }))).toEqual([uuid('1')]);
  expect(
    await ids(scopeAt(home, { agentConfigured, env: { OPENCLAW_AGENT_ID: env.OPENCLAW_AGENT_ID } })),
  ).toEqual([uuid('2')]);
  expect(await ids(scopeAt(home, { agentConfigured }))).toEqual([uuid('3')]);
  expect(await ids(scopeAt(home))).toEqual([uuid('4')]);
  expect(await ids(scopeAt(home, { allAgents: true }))).toHaveLength(5);
});

test.each([{ agentFlag: 'bad' }, { env: { OPENCLAW_AGENT_ID: 'bad' } }, { agentConfigured: 'bad' }])(
  'an agent that is not there, by %j, is an error that lists those that are',
  async (more) => {
    const home = makeHome();
    putOpenclaw(home, 'molt');
    putOpenclaw(home, 'main');
    await expect(listSessions(scopeAt(home, more))).rejects.toMatchObject({
      code: 'AGENT_NOT_FOUND',
      message: expect.stringContaining("'bad'"),
      details: { availableAgents: ['main', 'molt'] },
      hint: expect.stringContaining('main, molt'),
    });
  },
);

test('an agent id never escapes the agents folder', async () => {
  const home = makeHome();
  putOpenclaw(home);
  await expect(listSessions(scopeAt(home, { agentFlag: '../main' }))).rejects.toMatchObject({
    code: 'PATH_ESCAPES_FOLDER',
  });
});

test('--agent and --all-agents contradict each other', async () => {
  const home = makeHome();
  putOpenclaw(home);
  await expect(listSessions(scopeAt(home, { agentFlag: 'main', allAgents: true }))).rejects.toMatchObject({
    code: 'USAGE',
  });
});
