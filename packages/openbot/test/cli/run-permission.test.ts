/** What `cc run` lets Claude Code do where nobody can be asked: by rules, and by the tools of the agent. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, type Reply } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { CommandBench, missing, readEvents, readLastLine, use } from '../setup/command-bench.ts';

type Input = Record<string, unknown>;

/** What it makes below the folder of repositories, what is said of it, and the call. */
const DENIED: [made: string, advice: RegExp, tool: string, input: (bench: CommandBench) => Input][] = [
  [
    'rules/made',
    /no rule allows it, and there is no terminal to ask at; --allow '(Bash\(touch made\))' would\n/,
    'Bash',
    () => ({ command: 'touch made' }),
  ],
  [
    'rules/quoted, and more',
    /--allow '(Bash\(touch '\\''quoted, and more'\\''\))' would\n/,
    'Bash',
    () => ({ command: "touch 'quoted, and more'" }),
  ],
  [
    'rules/written',
    /no rule allows it, .*; --allow '(Edit\(\/\/.*\/rules\/written\))' would\n/,
    'Write',
    (bench) => ({ file_path: join(bench.makeRepo('rules'), 'written'), content: 'x' }),
  ],
  [
    '../outside',
    /outside allowed .*; --allow '(Edit\(\/\/.*\/outside\))' would\n/,
    'Write',
    (bench) => ({ file_path: join(bench.home.root, 'outside'), content: 'x' }),
  ],
];

const useAll = (...calls: (readonly [tool: string, input: Input])[]): Reply => ({
  blocks: calls.map(([tool, input], at) => call(`toolu_${at}`, tool, input)),
});

describe.skipIf(missing !== undefined)(`what a run may do ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    const repo = bench.makeRepo('rules');
    bench.script({
      'do all of it': () => useAll(...DENIED.map(([, , tool, input]) => [tool, input(bench)] as const)),
      'reach beyond': () =>
        useAll(
          ['Bash', { command: `touch ${join(bench.home.root, 'outside')}` }],
          ['Write', { file_path: join(repo, '.claude', 'settings.json'), content: '{}' }],
        ),
      'ask me': () => use('AskUserQuestion', { questions: [] }),
      'look around': () => use('mcp__openbot__openclaw_session_list', {}),
      'recall it': () => use('mcp__openbot__openclaw_conversation_context', {}),
      'tell me': () =>
        use('mcp__openbot__openclaw_send_message', { text: 'Half is done.\nThe rest follows.' }),
    });
  });
  afterAll(() => bench?.close());

  const run = (task: string, ...flags: string[]) =>
    bench.run(['cc', 'run', task, '--fresh', ...flags], { cwd: bench.makeRepo('rules') });

  test('what no rule allows is denied with the rule that does allow it', async () => {
    const paths = DENIED.map(([made]) => join(bench.home.root, 'repos', made));
    const denied = await run('do all of it');
    expect([denied.code, denied.stderr, paths.filter(existsSync)]).toEqual([0, '', []]);
    expect(denied.stdout.match(/\n {2}not allowed: /g)).toHaveLength(DENIED.length);
    expect(denied.stdout).toMatch(/\n> \w+ .*\n {2}not allowed: /);
    expect(denied.stdout).not.toContain('failed');
    const rules = DENIED.map(([, advice]) => advice.exec(denied.stdout)?.[1] ?? '');
    expect(rules).not.toContain('');
    const flags = rules.flatMap((rule) => ['--allow', rule.replaceAll("'\\''", "'")]);
    const allowed = await run('do all of it', '--allow', 'Read', ...flags);
    expect([allowed.code, allowed.stderr, paths.filter(existsSync)]).toEqual([0, '', paths]);
    expect(allowed.stdout).not.toContain('not allowed');
  });

  test('if no rule would help, the reason is given instead of a rule', LONG, async () => {
    const { stdout } = await run('reach beyond', '--allow', 'Bash(touch:*)', '--allow', 'Write');
    expect(stdout).toMatch(
      /\n {2}not allowed: it reaches outside the repository \(\/.*\/outside\), and there is no terminal to ask at\n/,
    );
    expect(stdout).toMatch(
      /\n {2}not allowed: .*\.claude\/settings\.json.*, and there is no terminal to ask at\n/,
    );
  });

  test('Claude Code has no tool for questions that cannot be answered', LONG, async () => {
    const asked = await run('ask me');
    expect(asked.stdout).toMatch(/No such tool available: AskUserQuestion/);
  });

  test("Claude Code has the agent's tools: it looks unasked, and its message is shown", LONG, async () => {
    const looked = await run('look around');
    const { sessionId } = readLastLine(looked);
    expect([looked.code, looked.stderr]).toEqual([0, '']);
    expect(looked.stdout).toMatch(/\n> openclaw_session_list\nIt gave: .*isThisRun/);
    expect(looked.stdout).toContain(`sessionId\\":\\"${sessionId}`);

    const told = await run('tell me');
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toContain(
      '\n> openclaw_send_message\nMessage: Half is done.\n         The rest follows.\nIt gave: ',
    );
    const json = await run('tell me', '--json');
    expect(readEvents(json)).toContainEqual({ type: 'message', text: 'Half is done.\nThe rest follows.' });

    const without = await run('tell me', '--no-mcp');
    expect(without.stdout).toContain('No such tool available');
  });

  test('a conversation is read unasked only where the run was started for it', LONG, async () => {
    const unnamed = await run('recall it');
    expect(unnamed.stdout).toContain('\n  not allowed: ');
    const named = await run('recall it', '--conversation', 'agent:main:main');
    expect(named.stdout).toMatch(/\n> openclaw_conversation_context\n/);
    expect(named.stdout).not.toContain('not allowed');
    const empty = await run('recall it', '--conversation', '');
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('--conversation')]);
  });
});
