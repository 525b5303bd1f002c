/** What `cc run` lets Claude Code do: by rules, by asking in a terminal, and by the tools of the agent. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandBench, missing, readEvents, readLastLine, use } from '../setup/command-bench.ts';

const noTerminal =
  spawnSync('script', ['--version']).status === 0 ? '' : 'there is no script(1) of util-linux';

describe.skipIf(missing !== undefined)(`what a run may do ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    bench.script({
      'touch it': () => use('Bash', { command: 'touch made' }),
      'look around': () => use('mcp__openbot__openclaw_session_list', {}),
      'tell me': () =>
        use('mcp__openbot__openclaw_send_message', { text: 'Half is done.\nThe rest follows.' }),
    });
  });
  afterAll(() => bench?.close());

  test('what no rule allows is denied where nobody can be asked, with the rule that would allow it', async () => {
    const cwd = bench.makeRepo('rules');
    const denied = await bench.run(['cc', 'run', 'touch it', '--fresh'], { cwd });
    expect([denied.code, denied.stderr, existsSync(join(cwd, 'made'))]).toEqual([0, '', false]);
    expect(denied.stdout).toContain(
      "\n> Bash touch made\n  not allowed: no rule allows it, and nobody is there to ask; --allow 'Bash(touch:*)' would\n",
    );
    expect(denied.stdout).not.toContain('failed');
    const flags = ['--allow', 'Read', '--allow', 'Bash(touch:*)'];
    const allowed = await bench.run(['cc', 'run', 'touch it', '--fresh', ...flags], { cwd });
    expect([allowed.code, allowed.stderr, existsSync(join(cwd, 'made'))]).toEqual([0, '', true]);
    expect(allowed.stdout).not.toContain('not allowed');
  });

  test.skipIf(noTerminal !== '')(`in a terminal y allows, n denies ${noTerminal}`, async () => {
    const cwd = bench.makeRepo('terminal');
    for (const [key, isMade] of [
      ['n', false],
      ['y', true],
    ] as const) {
      const run = bench.spawnInTerminal(['cc', 'run', 'touch it', '--fresh'], cwd);
      await run.shows(/│ command: touch made\r?\n[\s\S]*Allow Bash\? \[y\/N\] /);
      run.child.stdin!.write(`${key}\r`);
      const { code, stdout } = await run.ended;
      expect([code, existsSync(join(cwd, 'made'))]).toEqual([0, isMade]);
      expect(stdout.includes('not allowed')).toBe(!isMade);
    }
  });

  test.skipIf(noTerminal !== '')(
    `Ctrl-C at the question ends the run as SIGINT does ${noTerminal}`,
    async () => {
      const cwd = bench.makeRepo('interrupted');
      const run = bench.spawnInTerminal(['cc', 'run', 'touch it', '--fresh'], cwd);
      await run.shows(/Allow Bash\? \[y\/N\] /);
      run.child.stdin!.write('\u0003');
      const { code, stdout } = await run.ended;
      expect([code, existsSync(join(cwd, 'made'))]).toEqual([128 + 2, false]);
      expect(stdout).toMatch(/ aborted {2}[0-9a-f-]{36} {2}/);
    },
  );

  test("Claude Code has the agent's tools: it looks unasked, and its message is shown", async () => {
    const cwd = bench.makeRepo('tools');
    const looked = await bench.run(['cc', 'run', 'look around', '--fresh'], { cwd });
    const { sessionId } = readLastLine(looked);
    expect([looked.code, looked.stderr]).toEqual([0, '']);
    expect(looked.stdout).toMatch(/\n> openclaw_session_list\nIt gave: .*isThisRun/);
    expect(looked.stdout).toContain(`sessionId\\":\\"${sessionId}`);

    const told = await bench.run(['cc', 'run', 'tell me', '--fresh'], { cwd });
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toContain(
      '\n> openclaw_send_message\nMessage: Half is done.\n         The rest follows.\nIt gave: ',
    );
    const json = await bench.run(['cc', 'run', 'tell me', '--fresh', '--json'], { cwd });
    expect(readEvents(json)).toContainEqual({ type: 'message', text: 'Half is done.\nThe rest follows.' });

    const without = await bench.run(['cc', 'run', 'tell me', '--fresh', '--no-mcp'], { cwd });
    expect(without.stdout).toContain('No such tool available');
  });
});
