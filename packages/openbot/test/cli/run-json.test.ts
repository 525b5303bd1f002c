/** What `cc run --json` writes, also where a person watches. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { answer, CommandBench, missing, readEvents, use } from '../setup/command-bench.ts';

const noTerminal =
  spawnSync('script', ['--version']).status === 0 ? '' : 'there is no script(1) of util-linux';

describe.skipIf(missing !== undefined)(`a run as JSON ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    bench.script({
      'touch it': () => use('Bash', { command: 'touch made' }),
      'say it': () => answer('red \u009b31m and \u202eback'),
    });
  });
  afterAll(() => bench?.close());

  test.skipIf(noTerminal !== '')(
    `in a terminal no question is asked: it is denied ${noTerminal}`,
    LONG,
    async () => {
      const cwd = bench.makeRepo('terminal');
      const run = bench.spawnInTerminal(['cc', 'run', 'touch it', '--fresh', '--json'], cwd);
      const { code, stdout } = await run.ended;
      expect([code, existsSync(join(cwd, 'made'))]).toEqual([0, false]);
      // Every line but that of the bench is an event: no question, no progress, no colour.
      const lines = stdout.replaceAll('\r\n', '\n').replace(/^pid \d+\n/, '');
      const events = readEvents({ stdout: lines });
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'permission-settled', settlement: 'nobody-listens' }),
      );
      expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: { result: 'success' } });
    },
  );

  test('no text of the model acts on a terminal, and it arrives as it was', async () => {
    const cwd = bench.makeRepo('hostile');
    const ran = await bench.run(['cc', 'run', 'say it', '--fresh', '--json'], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect(readEvents(ran)).toContainEqual(
      expect.objectContaining({ type: 'text', text: 'red \u009b31m and \u202eback' }),
    );
  });
});
