import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportProgress } from '../../src/commands/progress.ts';
import { makeHome } from '../setup/run-openbot.ts';

test.each([
  [['cc', 'frobnicate'], /no command 'cc frobnicate'/, /cc list/],
  [['frobnicate'], /no command 'frobnicate'/, /cc list/],
  [['cc', 'list', 'word'], /does not take 'word'/, /--help/],
  [['cc', 'list', '--nope'], /--nope/, /cc list --help/],
  [['cc', 'list', '-n', 'few'], /whole number/, /--limit 20/],
  [['cc', 'list', '--all', '--repo', '.'], /contradict/, /Leave one/],
  [['cc', 'list', '--repo', ''], /--repo names no folder/, /Leave it out/],
  [['cc', 'select', 'x', '--budget', 'much'], /US dollars/, /--budget 2.50/],
  [['cc', 'select', 'x', '--threshold', '60'], /from 0 to 1/, /--threshold 0.7/],
  [['cc', 'select', 'x', '--threshold', ''], /from 0 to 1/, /--threshold 0.7/],
  [['cc', 'select', 'x', '--model', ' '], /relevanceModel/, /name of a model/],
  [['cc', 'status', '--agent', '../x'], /agent id/, /\n {2}It names one file/],
  [['cc', 'select'], /What is the task/, /openbot cc select "/],
  [['cc', 'select', 'two', 'words'], /does not take 'words'/, /quotation marks/],
])('%j is refused with a hint, in words and as JSON', async (args, message, hint) => {
  const home = makeHome();
  const plain = await home.run(args);
  expect([plain.code, plain.stdout]).toEqual([1, '']);
  expect(plain.stderr).toMatch(message);
  expect(plain.stderr).toMatch(hint);
  const { code, stdout, stderr } = await home.run([...args, '--json']);
  expect([code, stdout]).toEqual([1, '']);
  expect(JSON.parse(stderr)).toMatchObject({ success: false, error: { code: expect.any(String) } });
});

test('an error shows no characters that act or hide', async () => {
  const { stderr } = await makeHome().run(['cc', 'a\u001b[31m\u202eb\u200bc']);
  expect(stderr).toContain("'cc a\ufffd[31m\ufffdb\ufffdc'");
});

test('a repository that is not there', async () => {
  const home = makeHome();
  const { code, stderr } = await home.run(['cc', 'status', '--repo', join(home.folder, 'gone'), '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'REPO_NOT_FOUND', hint: expect.any(String) });
});

test.each([[[]], [['--help']], [['cc']], [['cc', '--help']]])('%j explains the commands', async (args) => {
  const { code, stdout } = await makeHome().run(args);
  expect(code).toBe(0);
  expect(stdout).toContain('cc list');
  expect(stdout).toContain('cc select <task>');
});

test('the help of one command names its flags', async () => {
  const { stdout } = await makeHome().run(['cc', 'list', '--help']);
  expect(stdout).toContain('Usage: openbot cc list');
  expect(stdout).toMatch(/-n, --limit <count>/);
});

test('the command itself, in a process of its own', () => {
  const start = join(import.meta.dirname, '..', '..', 'src', 'cli', 'start.ts');
  const script = `import { start } from ${JSON.stringify(start)}; await start();`;
  const { env } = makeHome();
  const node = ['--conditions=openbot-source', '--input-type=module', '--eval', script, 'openbot'];
  const ran = spawnSync(process.execPath, [...node, '--version'], {
    env: env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([
    0,
    expect.stringMatching(/^openbot \d+\.\d+\.\d+\n$/),
    '',
  ]);
});

test('colour and progress are for terminals', async () => {
  const home = makeHome();
  const { stdout } = await home.run(['cc', 'list', '--all'], { isTTY: true });
  expect(stdout).toBe('No Claude Code sessions.\n');
  const shown: (string | undefined)[] = [];
  const progress = reportProgress({ showProgress: (text) => shown.push(text) });
  progress.tell({ done: 1, total: 9 });
  progress.end();
  expect(shown).toEqual([]);
});
