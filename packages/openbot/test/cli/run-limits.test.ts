/** What keeps `cc run` from working: budgets, failures of the API, other runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiErrors, type Reply } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { answer, CommandBench, missing, readEvents, readLastLine, use } from '../setup/command-bench.ts';
import { COMMAND } from '../setup/command-file.ts';

describe.skipIf(missing !== undefined)(`the limits of a run ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
  });
  afterAll(() => bench?.close());

  test(
    'a budget that is reached ends the run, and a spent one is refused until it is larger',
    LONG,
    async () => {
      const cwd = bench.makeRepo('budget');
      bench.script({ dear: () => use('Bash', { command: 'true' }) });
      const flags = ['--fresh', '--budget', '0.10', '--allow', 'Bash'];
      const reached = await bench.run(['cc', 'run', 'something dear', ...flags], { cwd });
      expect(reached.code).toBe(1);
      const { result, sessionId, costs } = readLastLine(reached);
      expect([result, costs]).toEqual(['budget', expect.stringMatching(/^1 turn, \$0\.\d{4} of \$0\.10$/)]);
      expect(reached.stderr).toMatch(/^Error: The budget of the session, \$0\.10, is spent: /);
      expect(reached.stderr).toContain(`--session ${sessionId} --budget <more>`);

      bench.api.forget();
      const spent = await bench.run(['cc', 'run', 'more', '--session', sessionId, '--json'], { cwd });
      expect([spent.code, spent.stdout, bench.api.conversations]).toEqual([1, '', []]);
      expect(JSON.parse(spent.stderr)).toEqual({
        success: false,
        error: {
          code: 'BUDGET_SPENT',
          message: expect.stringContaining(sessionId),
          hint: expect.stringContaining('--budget'),
        },
      });
      const larger = await bench.run(['cc', 'run', 'more', '--session', sessionId, '--budget', '$9'], {
        cwd,
      });
      expect(larger).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('an error of the API is reported once, as text and as JSON', LONG, async () => {
    const cwd = bench.makeRepo('error');
    bench.script({ 'fail now': () => apiErrors.overloaded() });
    const ran = await bench.run(['cc', 'run', 'fail now', '--fresh'], { cwd });
    expect(ran.code).toBe(1);
    expect(readLastLine(ran).result).toBe('error');
    expect(`${ran.stdout}${ran.stderr}`.match(/Overloaded/g)).toHaveLength(1);
    expect(ran.stderr).toMatch(/^Error: .*Overloaded.*\n {2}To continue it: --session /);

    const json = await bench.run(['cc', 'run', 'fail now', '--fresh', '--json'], { cwd });
    expect(readEvents(json).at(-1)).toMatchObject({ type: 'ended', outcome: { result: 'error' } });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'RUN_FAILED' });
  });

  test('for a program that does not exist, the hint names the flag and not an option of the SDK', async () => {
    const cwd = bench.makeRepo('no-program');
    const ran = await bench.run(['cc', 'run', 'x', '--fresh', '--claude', '/nowhere/claude'], { cwd });
    expect([ran.code, ran.stdout]).toEqual([1, expect.not.stringContaining('success')]);
    expect(ran.stderr).toMatch(/^Error: .*\/nowhere\/claude.*\n {2}Check the path after --claude/);
    expect(ran.stderr).not.toContain('pathToClaudeCodeExecutable');
  });

  test('a run that could not be recorded is refused before anything is asked', async () => {
    const cwd = bench.makeRepo('no-state');
    bench.script({});
    bench.api.forget();
    writeFileSync(join(cwd, 'file'), '');
    for (const place of ['file', 'file/state']) {
      const flags = ['--fresh', '--budget', '1', '--state-dir', join(cwd, place)];
      const ran = await bench.run(['cc', 'run', 'x', ...flags], { cwd });
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toMatch(
        /^Error: The run could not be recorded in .*sessions\.json: .*\n {2}Nothing was/,
      );
      const json = await bench.run(['cc', 'run', 'x', ...flags, '--json'], { cwd });
      expect([json.code, json.stdout]).toEqual([1, '']);
      expect(JSON.parse(json.stderr).error).toMatchObject({
        code: 'REGISTRY_WRITE_FAILED',
        reason: 'LOCK_FAILED',
      });
    }
    expect(bench.api.conversations).toEqual([]);
  });

  test('a session that is full is not the one to go on in', LONG, async () => {
    const cwd = bench.makeRepo('full');
    bench.script({ 'too much': () => apiErrors.promptTooLong(300_000, 200_000) });
    const ran = await bench.run(['cc', 'run', 'too much', '--fresh'], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^Error: .*[Pp]rompt is too long.*\n {2}Session \S+ is full\. .*--fresh\n$/);
  });

  test('of three at once the second waits and the third is refused', LONG, async () => {
    const cwd = bench.makeRepo('busy');
    const held = Promise.withResolvers<Reply>();
    bench.script({ slowly: () => held.promise });
    const first = bench.spawn(['cc', 'run', 'work slowly', '--fresh'], { cwd });
    await first.shows(/^Session /m);
    const second = bench.spawn(['cc', 'run', 'come second', '--fresh'], { cwd });
    await second.shows(/waiting/);
    const third = await bench.run(['cc', 'run', 'come third'], { cwd });
    expect([third.code, third.stdout]).toEqual([1, '']);
    expect(third.stderr).toMatch(/^Error: Two runs already use \S+\/busy: .*\n {2}Try again/);
    expect(third.stderr).toContain(`process ${second.child.pid}`);
    const refused = await bench.run(['cc', 'run', 'come third', '--json'], { cwd });
    expect(JSON.parse(refused.stderr).error).toMatchObject({ code: 'REPO_BUSY' });
    held.resolve(answer('At last.'));
    expect((await first.ended).stdout).toContain('\nAt last.\n');
    const waited = await second.ended;
    expect([waited.code, waited.stderr]).toEqual([0, '']);
    expect(waited.stdout).toMatch(new RegExp(`^… waiting for process ${first.child.pid} .*\nSession `));
  });

  test('a run that is started from within a run of the repository is refused: it would wait for itself', async () => {
    const cwd = bench.makeRepo('nested');
    const command = [process.execPath, ...COMMAND, 'cc', 'run', 'inner', '--json'].join(' ');
    bench.script({ outer: () => use('Bash', { command }) });
    const ran = await bench.run(['cc', 'run', 'outer', '--fresh', '--allow', 'Bash'], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/It gave: .*REPO_BUSY.*would wait for itself/);
  });
});
