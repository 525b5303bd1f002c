/** What `cc run` asks in a terminal, and how it is answered there. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { call } from '../../../../test/imitations/messages-format.ts';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { type Command, CommandBench, missing, readEvents, use } from '../setup/command-bench.ts';
import { noTerminal } from '../setup/terminal-command.ts';

const found = findClaudeBinary();
const binary = 'path' in found ? found.path : '';
const reason = missing ?? noTerminal;

describe.skipIf(reason !== undefined)(`questions in a terminal ${reason ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    const secrets = ['first', 'second'].map((name) => join(bench.home.root, name));
    for (const path of secrets) writeFileSync(path, `secret of ${path}`);
    bench.script({
      'touch it': () => use('Bash', { command: 'touch made' }),
      'touch both': () => ({
        blocks: ['other', 'made'].map((name, at) =>
          call(`toolu_${at}`, 'Bash', { command: `touch ${name}` }),
        ),
      }),
      'read both': () => ({
        blocks: secrets.map((file_path, at) => call(`toolu_${at}`, 'Read', { file_path })),
      }),
      'read one': () => ({
        blocks: [secrets[0]!, join(bench.makeRepo('held'), 'missing')].map((file_path, at) =>
          call(`toolu_${at}`, 'Read', { file_path }),
        ),
      }),
      'ask me': () =>
        use('AskUserQuestion', {
          questions: [
            {
              question: 'Which colour?',
              header: 'Colour',
              multiSelect: false,
              options: [
                { label: 'Red', description: 'as roses' },
                { label: 'Blue', description: 'as the sea' },
              ],
            },
          ],
        }),
    });
  });
  afterAll(() => bench?.close());

  const start = (task: string, repo: string, redirection?: string): Command =>
    bench.spawnInTerminal(['cc', 'run', task, '--fresh'], bench.makeRepo(repo), redirection);
  const isMade = (repo: string) => existsSync(join(bench.makeRepo(repo), 'made'));

  test('what is to be done is shown, y allows it and n does not', async () => {
    const run = start('touch both', 'terminal');
    const question = (name: string) =>
      new RegExp(`│ command: touch ${name}\\r?\\n[\\s\\S]*Allow Bash\\? \\[y/N\\] `);
    await run.shows(question('other'));
    run.child.stdin!.write('n\r');
    await run.shows(question('made'));
    run.child.stdin!.write('y\r');
    const { code, stdout } = await run.ended;
    expect([code, isMade('terminal')]).toEqual([0, true]);
    expect(existsSync(join(bench.makeRepo('terminal'), 'other'))).toBe(false);
    expect(stdout.match(/not allowed/g)).toHaveLength(1);
  });

  test('a question that Ctrl-Z put aside is answered after it was taken up again', LONG, async () => {
    const run = start('touch it', 'stopped');
    const pid = Number((await run.shows(/pid (\d+)/))[1]);
    await run.shows(/Allow Bash\? \[y\/N\] /);
    run.child.stdin!.write('\x1a');
    let isShown = false;
    const shown = run.shows(/Allow Bash\?[\s\S]*Allow Bash\? \[y\/N\] /).finally(() => {
      isShown = true;
    });
    // As `fg` does; nobody can tell from outside when the key was heard.
    for (; !isShown; await sleep(50)) process.kill(pid, 'SIGCONT');
    await shown;
    run.child.stdin!.write('y\r');
    expect([(await run.ended).code, isMade('stopped')]).toEqual([0, true]);
  });

  test('two answers at once allow one of two questions: the second was not on the screen', LONG, async () => {
    const run = start('read both', 'pair');
    await run.shows(/Allow Read\? \[y\/N\] /);
    // Also not by half a line, wherever its cursor is.
    run.child.stdin!.write('y\ry\ry\u001b[D');
    await run.shows(/Allow Read\? \[y\/N\] [\s\S]*Allow Read\? \[y\/N\] /);
    run.child.stdin!.write('\r');
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    expect(stdout.match(/secret of \S*(?:first|second)/g)).toHaveLength(1);
    expect(stdout.match(/not allowed/g)).toHaveLength(1);
  });

  test('events during an open question are printed after its answer', LONG, async () => {
    const repo = bench.makeRepo('held');
    const command = 'if grep -q missing; then until [ -e go ]; do sleep 0.05; done; fi';
    const hooks = { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command }] }] };
    mkdirSync(join(repo, '.claude'));
    writeFileSync(join(repo, '.claude', 'settings.json'), JSON.stringify({ hooks }));
    const run = start('read one', 'held');
    await run.shows(/Allow Read\? \[y\/N\] /);
    writeFileSync(join(repo, 'go'), '');
    // Time enough for the other call to fail.
    await sleep(500);
    run.child.stdin!.write('n\r');
    const { stdout } = await run.ended;
    expect(stdout).toMatch(/Allow Read\? \[y\/N\] (?:(?!failed)[^\n])*\n[\s\S]* {2}failed: /);
  });

  test('an answer does not come back by a key', LONG, async () => {
    const run = start('read both', 'history');
    await run.shows(/Allow Read\? \[y\/N\] /);
    run.child.stdin!.write('y\r');
    await run.shows(/Allow Read\? \[y\/N\] [\s\S]*Allow Read\? \[y\/N\] /);
    run.child.stdin!.write('\u001b[A\r');
    const { stdout } = await run.ended;
    expect(stdout.match(/secret of \S*(?:first|second)/g)).toHaveLength(1);
  });

  test("Claude Code's own question is answered by a number", LONG, async () => {
    const run = start('ask me', 'choice');
    await run.shows(/│ Which colour\?\r?\n {2}│ 1\. Red: as roses\r?\n {2}│ 2\. Blue: as the sea\r?\n.*\]: /);
    run.child.stdin!.write('2\r');
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('\\"Which colour?\\"=\\"Blue\\"');
  });

  // The gate has the other one while a tool works (run-ends).
  test.each(sample(['Ctrl-C', 'SIGTERM'], { gate: 1 }))(
    '%s at a question ends the run, and nothing is said to have failed',
    HUNT,
    async (by) => {
      const run = start('touch it', by);
      const [, pid] = await run.shows(/pid (\d+)[\s\S]*Allow Bash\? \[y\/N\] /);
      if (by === 'SIGTERM') process.kill(Number(pid), by);
      else run.child.stdin!.write('\u0003');
      const { code, stdout } = await run.ended;
      expect([code, isMade(by)]).toEqual([128 + (by === 'SIGTERM' ? 15 : 2), false]);
      expect(stdout).toMatch(/Allow Bash\? \[y\/N\] .*\r?\n… ending\r?\n/);
      expect(stdout).not.toContain('  failed: ');
      expect(stdout).toMatch(/ aborted {2}[0-9a-f-]{36} {2}/);
    },
  );

  test('the end of Claude Code at a question is the end of the run', LONG, async () => {
    const program = join(bench.home.root, 'claude');
    const pidFile = join(bench.home.root, 'claude.pid');
    writeFileSync(program, `#!/bin/sh\necho $$ > '${pidFile}'\nexec '${binary}' "$@"\n`, { mode: 0o755 });
    const args = ['cc', 'run', 'touch it', '--fresh', '--claude', program];
    const run = bench.spawnInTerminal(args, bench.makeRepo('killed'));
    await run.shows(/Allow Bash\? \[y\/N\] /);
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    const { code, stdout } = await run.ended;
    expect([code, isMade('killed')]).toEqual([1, false]);
    expect(stdout).toMatch(/Allow Bash\? \[y\/N\] .*\r?\n[\s\S]* error {2}/);
  });

  test('who gave the task by a file is asked at the terminal', LONG, async () => {
    writeFileSync(join(bench.makeRepo('file'), 'task.md'), 'touch it');
    const run = start('-', 'file', '< task.md');
    await run.shows(/Allow Bash\? \[y\/N\] /);
    run.child.stdin!.write('y\r');
    const { code } = await run.ended;
    expect([code, isMade('file')]).toEqual([0, true]);
  });

  test('and so is who typed it', LONG, async () => {
    const run = start('-', 'typed');
    await run.shows(/Type the task/);
    run.child.stdin!.write('touch it\r\u0004');
    await run.shows(/Allow Bash\? \[y\/N\] /);
    run.child.stdin!.write('y\r');
    const { code } = await run.ended;
    expect([code, isMade('typed')]).toEqual([0, true]);
  });

  test('with --json no question is asked', LONG, async () => {
    const args = ['cc', 'run', 'touch it', '--fresh', '--json'];
    const { code, stdout } = await bench.spawnInTerminal(args, bench.makeRepo('json')).ended;
    const events = readEvents({ stdout: stdout.slice(stdout.indexOf('{')) });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'permission-settled', settlement: 'nobody-listens' }),
    );
    expect([code, isMade('json'), stdout.includes('Allow')]).toEqual([0, false, false]);
  });
});
