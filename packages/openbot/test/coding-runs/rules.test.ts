/** What coding runs promise without Claude Code: who may start them where, and who is told. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@openbot/sessions/layout';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { nameProcess } from '../../src/bot/process-name.ts';
import { CodingDesk } from '../../src/coding-runs/coding-desk.ts';
import { findRepo, resolveCodingSettings } from '../../src/coding-runs/coding-settings.ts';
import { makeCodingTools } from '../../src/coding-runs/coding-tools.ts';
import { CODING_CHANNEL, type RunRecord } from '../../src/coding-runs/contract.ts';
import { giveReplyToRun } from '../../src/coding-runs/replies-to-runs.ts';
import { hasSent, Requester } from '../../src/coding-runs/requester.ts';
import { RunRecords } from '../../src/coding-runs/run-records.ts';
import { RunTalk } from '../../src/coding-runs/run-talk.ts';
import { resolveAgentSettings } from '../../src/config/agents.ts';
import { openMemoryOutbox } from '../../src/outbox/memory/memory-outbox.ts';
import { openState } from '../../src/state/open-state.ts';
import type { ToolSession } from '../../src/tools/contract.ts';
import { MAIN, textsOf } from '../bot/bot-home.ts';
import { ToolHome } from '../session-tools/tool-home.ts';
import { makeHome } from '../setup/run-openbot.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** The name of a process that has ended. */
function deadOwner(): string {
  const module = join(import.meta.dirname, '../../src/bot/process-name.ts');
  const script = `process.stdout.write((await import(${JSON.stringify(module)})).nameProcess())`;
  const args = ['--conditions=openbot-source', '--input-type=module', '-e', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

const recordOf = (more: Partial<RunRecord> = {}): RunRecord => ({
  id: '0123abcd',
  agentId: 'main',
  sessionKey: MAIN,
  requester: { channel: 'memory', accountId: 'default', to: 'ada' },
  repoPath: '/project',
  task: 'fix it',
  owner: deadOwner(),
  startedAt: 1,
  ...more,
});

test('without repositories there is no tool, and others are refused', async () => {
  const folder = realpathSync(makeTempFolder());
  mkdirSync(join(folder, 'work/project'), { recursive: true });
  mkdirSync(join(folder, 'secret'));
  symlinkSync(join(folder, 'secret'), join(folder, 'work/link'));
  const repos = [join(folder, 'work')];
  expect(findRepo(join(folder, 'work/project'), { repos }, {})).toBe(join(folder, 'work/project'));
  expect(findRepo('project', { repos }, {})).toBe(join(folder, 'work/project'));
  expect(findRepo('work', { repos }, {})).toBe(join(folder, 'work'));
  for (const wanted of [
    join(folder, 'secret'),
    join(folder, 'work/link'),
    join(folder, 'work/../secret'),
    'none',
    '/',
  ])
    expect(() => findRepo(wanted, { repos }, {})).toThrow(/is not a folder in which coding runs may work/);

  const home = new ToolHome().on('go', { tool: 'claude_code', args: { task: 'x', repo: '/' } });
  const bot = await home.startCommand();
  expect(textsOf(await bot.say({ message: 'go' }))[0]).toMatch(/^There is no tool "claude_code"\./);
  await bot.close();
  const allowed = await home.startCommand({ config: { claudeCode: { repos } } });
  expect(textsOf(await allowed.say({ message: 'go' }))[0]).toBe(
    `"/" is not a folder in which coding runs may work. Allowed are: ${repos[0]}.`,
  );
});

test('the settings of an agent win, and those of the selection one by one', () => {
  const config = {
    claudeCode: { repos: ['/a'], sessionSelection: { enabled: false, resumeThreshold: 0.5 } },
    agents: {
      list: [{ id: 'ops', claudeCode: { repos: ['/b'], sessionSelection: { resumeThreshold: 0.9 } } }],
    },
  };
  const agent = resolveAgentSettings({ config, agentId: 'ops', stateDir: '/state', env: {} });
  expect(resolveCodingSettings(config, agent)).toEqual({
    repos: ['/b'],
    sessionSelection: { enabled: false, resumeThreshold: 0.9 },
  });
});

test('runs of a process that died are told once at the next start', async () => {
  const home = new ToolHome();
  const records = new RunRecords(home.stateDir);
  await records.put(recordOf({ sessionId: 's-1' }));
  await records.put(recordOf({ id: 'aaaaaaaa', endedAt: 1 }));
  const bot = await home.start();
  await bot.idle();
  const told =
    'Coding run 0123abcd was cut off because its process ended. Its session is s-1. Ask for it again to go on.';
  expect(home.chat.shown).toEqual([`ada: ${told}`]);
  expect(records.get('0123abcd')).toMatchObject({ result: 'lost' });
  expect(records.get('aaaaaaaa')).toBeUndefined();
  await home.chat.write('ada', 'hello');
  await bot.idle();
  expect(home.prompts[0]).toContain(`Coding run 0123abcd in /project. The person was told: ${told}`);
  await bot.close();
  home.chat = home.chat.again();
  const again = await home.start();
  await again.idle();
  expect(home.chat.shown.filter((line) => line.includes('cut off'))).toHaveLength(1);
});

test('the send policy keeps it from the person, and the agent reads so', async () => {
  const home = new ToolHome();
  await new RunRecords(home.stateDir).put(recordOf());
  const bot = await home.start({ config: { session: { sendPolicy: { default: 'deny' } } } });
  await home.chat.write('ada', 'hello');
  await bot.idle();
  expect(home.chat.shown).toEqual([]);
  expect(home.prompts[0]).toContain(
    'The send policy kept this from the person: Coding run 0123abcd was cut off',
  );
});

/** A run of this process that has told the person something, without Claude Code. */
async function openToldRun(home: ToolHome) {
  const run = recordOf({ owner: nameProcess() });
  await new RunRecords(home.stateDir).put(run);
  const config = { channels: { memory: { allowFrom: ['ada'] } } };
  const bot = await home.start({ config });
  const state = await openState(home.stateDir);
  afterTest(() => state.close());
  const target = run.requester;
  const about = { agentId: 'main', sessionKey: MAIN, target, createdAt: 1 };
  await state.outbox.put([{ ...about, key: 'coding:0123abcd:0', payload: { text: 'It waits.' } }]);
  await home.chat.until((line) => line === 'ada: It waits.');
  const { id } = home.chat.channel.network.shown[0]!;
  /** How many replies wait for the run, whose account is not open. */
  const given = async () =>
    (await state.outbox.waitingAccounts()).find(({ channel }) => channel === CODING_CHANNEL)?.count ?? 0;
  return { bot, state, run, given, ctx: { ReplyToId: id } };
}

test('a reply reaches a run from a sender who may decide, and once', async () => {
  const home = new ToolHome();
  const { bot, given, ctx, state } = await openToldRun(home);
  await home.chat.write('ada', 'use tabs', { id: 'r1', ctx: { ...ctx, SenderId: 'eve', From: 'eve' } });
  await bot.idle();
  expect(await given()).toBe(0);
  expect(home.prompts.at(-1)).toContain('use tabs');
  await home.chat.write('ada', 'use spaces', { id: 'r2', ctx });
  await home.chat.write('ada', 'hello', { id: 'm' });
  await bot.idle();
  expect(home.prompts.at(-1)).toContain(
    'replied to coding run 0123abcd, which was given the reply: use spaces',
  );
  await home.chat.write('ada', 'use spaces', { id: 'r2', ctx });
  await home.chat.write('ada', 'hello again', { id: 'n' });
  await bot.idle();
  expect(home.prompts.at(-1)).not.toContain('use spaces');
  expect(await given()).toBe(1);
  expect((await state.inbox.counts()).dropped).toBe(1);
});

test('a reply that a process died over is told to the agent once', async () => {
  const home = new ToolHome();
  const { state, run, ctx } = await openToldRun(home);
  const parts = { ...state, records: new RunRecords(home.stateDir), isGone: () => false };
  const identity = { channel: 'memory', accountId: 'default', conversationId: 'ada', messageId: 'r' };
  const reply = { agentId: 'main', sessionKey: MAIN, identity, ctx: { ...ctx, RawBody: 'use tabs' } };
  expect(await giveReplyToRun({ ...parts, now: () => 10 }, reply)).toBe(run.id);
  expect(await state.inbox.takeEvents(MAIN, 'a turn')).toHaveLength(1);
  expect(await giveReplyToRun({ ...parts, now: () => 20 }, reply)).toBe(run.id);
  expect(await state.inbox.takeEvents(MAIN, 'the next turn')).toEqual([]);
});

test('what the send policy keeps back leaves no gap among the messages of a run', async () => {
  const state = await openState(makeTempFolder());
  const run = recordOf();
  afterTest(() => state.close());
  let policy: 'allow' | 'deny' = 'deny';
  const parts = {
    ...state,
    get config() {
      return { session: { sendPolicy: { default: policy } } };
    },
    now: () => 1,
    wakeSender: () => {},
  };
  const requester = new Requester(parts, run);
  expect(await requester.tell('one')).toBe(false);
  policy = 'allow';
  expect(await requester.tell('two')).toBe(true);
  await state.outbox.claim({ ...run.requester, owner: 'sender', now: 2, leaseMs: 1000, limit: 1 });
  await state.outbox.sent('coding:0123abcd:0', 'sender', { at: 3, ids: ['sent-1'] });
  expect(await hasSent(state.outbox, run, 'sent-1')).toBe(true);
});

const SESSION: ToolSession = {
  agentId: 'main',
  sessionKey: MAIN,
  sessionId: 's',
  turnId: 't',
  requester: recordOf({ owner: 'none' }).requester,
  isShared: false,
  model: { provider: 'script', model: 'echo' },
  chain: [],
  permit: async () => ({ isAllowed: true }),
  findDenial: async () => undefined,
  findReadDenial: () => undefined,
  unreadable: [],
};

async function openDesk(env: Environment = {}) {
  const stateDir = makeTempFolder();
  const state = await openState(stateDir);
  afterTest(() => state.close());
  const [now, wakeSender, onTrouble, isGone] = [() => 1, () => {}, () => {}, () => false];
  const parts = { ...state, stateDir, env, config: {}, owner: 'me', now, wakeSender, onTrouble, isGone };
  return { desk: new CodingDesk(parts), outbox: state.outbox };
}

test('a run that cannot begin has an end', async () => {
  const { desk } = await openDesk({
    get ANTHROPIC_API_KEY(): string {
      throw new Error('no environment');
    },
  });
  const task = { task: 'x', repoPath: '/project', workspaceDir: '/', settings: {} };
  await expect(desk.start(SESSION, task)).rejects.toThrow('no environment');
  await expect(desk.run(SESSION, task, new AbortController().signal)).rejects.toThrow('no environment');
  expect(desk.records.list()).toMatchObject([{ result: 'error' }, { result: 'error' }]);
});

test('a repeated turn sends a follow-up of the same words once, and other words too', async () => {
  const { desk, outbox } = await openDesk();
  await desk.records.put(recordOf({ owner: 'me' }));
  const config = { claudeCode: { repos: ['/'] } };
  const agent = resolveAgentSettings({ config, agentId: 'main', stateDir: '/state', env: {} });
  const send = async (text: string) => {
    const parts = { desk, outbox, config, env: {}, now: () => 1 };
    const tool = makeCodingTools(parts, SESSION, agent).find(({ name }) => name === 'claude_code_send')!;
    const context = { workspaceDir: '/', signal: AbortSignal.abort(), callId: 'c' };
    await tool.run({ id: '0123abcd', text }, context);
  };
  for (const text of ['one', 'one', 'two']) await send(text);
  expect(await outbox.counts()).toMatchObject({ waiting: 2 });
});

test('a conversation reaches no coding run of another one', async () => {
  const home = new ToolHome().on('go', { tool: 'claude_code_send', args: { id: '0123abcd', text: 'x' } });
  await new RunRecords(home.stateDir).put(recordOf({ sessionKey: 'agent:main:other', endedAt: 2 }));
  const bot = await home.start({ config: { claudeCode: { repos: [home.stateDir] } } });
  await home.chat.write('ada', 'go');
  await bot.idle();
  expect(home.resultsIn()).toEqual(['This conversation has no coding run 0123abcd.']);
});

test('whoever asks, the tools are described in the same words; a command sends no follow-up', async () => {
  const { desk, outbox } = await openDesk();
  await desk.records.put(recordOf({ owner: 'me' }));
  const config = { claudeCode: { repos: ['/'] } };
  const agent = resolveAgentSettings({ config, agentId: 'main', stateDir: '/state', env: {} });
  const parts = { desk, outbox, config, env: {}, now: () => 1 };
  const [chat, ...others] = [SESSION.requester.channel, 'cli', 'sessions', 'heartbeat'].map((channel) =>
    makeCodingTools(parts, { ...SESSION, requester: { ...SESSION.requester, channel } }, agent),
  );
  for (const tools of others) {
    expect(JSON.stringify(tools)).toBe(JSON.stringify(chat));
    const context = { workspaceDir: '/', signal: new AbortController().signal, callId: 'c' };
    await expect(tools.at(-1)!.run({ id: '0123abcd', text: 'x' }, context)).rejects.toThrow(
      'Only in a conversation on a chat network',
    );
  }
});

test('cc send says what is wrong', async () => {
  const home = makeHome();
  const records = new RunRecords(home.stateDir);
  const none = await home.run(['cc', 'send', '0123abcd', 'x']);
  expect(none).toMatchObject({ code: expect.any(Number), stdout: '' });
  expect(none.stderr).toContain('There is no coding run 0123abcd');
  expect(none.stderr).toContain('No coding run is open.');
  await records.put(recordOf());
  expect((await home.run(['cc', 'send', '../../x', 'x'])).stderr).toContain('Open are: 0123abcd (/project)');
  expect((await home.run(['cc', 'send', '0123abcd', ' '])).stderr).toContain('There is no text to send');
  await records.put(recordOf({ endedAt: 2, result: 'success' }));
  expect((await home.run(['cc', 'send', '0123abcd', 'x'])).stderr).toContain('takes no follow-up');
});

test('what a person is told of a run is little', () => {
  let now = 0;
  const talk = new RunTalk(recordOf({ label: 'login' }), { progressMs: 600_000, now: () => now });
  const tool = { type: 'tool', toolUseId: 't', name: 'Bash', input: {}, inSubagent: false } as const;
  expect(talk.describe(tool)).toBeUndefined();
  now = 600_000;
  expect(talk.describe(tool)).toBe('Coding run 0123abcd (login) is at work: 2 tool calls, now Bash.');
  expect(talk.describe(tool)).toBeUndefined();
  const ended = { type: 'turn-ended', byItself: false, costUsd: 0.5, totalCostUsd: 1 } as const;
  expect(talk.describe({ ...ended, isError: true, text: 'no credit' })).toContain('failed:\nno credit');
  const outcome = { text: '', turns: 1, costUsd: 1, totalCostUsd: 1 };
  const failed = { ...outcome, result: 'error', failure: 'no credit' } as const;
  expect(talk.describe({ type: 'ended', outcome: { ...failed, unsent: [] } })).toBeUndefined();
  expect(talk.describe({ type: 'ended', outcome: { ...failed, unsent: ['more'] } })).toContain(
    'Not sent to it: "more"',
  );
  expect(
    talk.describe({ type: 'ended', outcome: { ...outcome, result: 'success', ending: 'idle', unsent: [] } }),
  ).toBeUndefined();
});

test('a reply that is faster than our note of what was sent is still one to the run', async () => {
  const outbox = openMemoryOutbox();
  const run = recordOf();
  const target = run.requester;
  const key = `coding:${run.id}:0`;
  await outbox.put([
    { key, agentId: 'main', sessionKey: MAIN, target, payload: { text: 'x' }, createdAt: 1 },
  ]);
  await outbox.claim({ ...target, owner: 'sender', now: 2, leaseMs: 1000, limit: 1 });
  const found = hasSent(outbox, run, 'sent-1');
  await outbox.sent(key, 'sender', { at: 3, ids: ['sent-1'] });
  expect(await found).toBe(true);
  expect(await hasSent(outbox, run, 'sent-2')).toBe(false);
});
