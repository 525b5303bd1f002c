/** What coding runs promise without Claude Code: who may start them where, and who is told. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRepo, resolveCodingSettings } from '../../src/coding-runs/coding-settings.ts';
import type { RunRecord } from '../../src/coding-runs/contract.ts';
import { hasSent } from '../../src/coding-runs/requester.ts';
import { RunRecords } from '../../src/coding-runs/run-records.ts';
import { RunTalk } from '../../src/coding-runs/run-talk.ts';
import { resolveAgentSettings } from '../../src/config/agents.ts';
import { openMemoryOutbox } from '../../src/outbox/memory/memory-outbox.ts';
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

test('a conversation reaches no coding run of another one', async () => {
  const home = new ToolHome().on('go', { tool: 'claude_code_send', args: { id: '0123abcd', text: 'x' } });
  await new RunRecords(home.stateDir).put(recordOf({ sessionKey: 'agent:main:other', endedAt: 2 }));
  const bot = await home.start({ config: { claudeCode: { repos: [home.stateDir] } } });
  await home.chat.write('ada', 'go');
  await bot.idle();
  expect(home.resultsIn()).toEqual(['This conversation has no coding run 0123abcd.']);
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
