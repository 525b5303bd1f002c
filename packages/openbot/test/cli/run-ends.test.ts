/** How `cc run` ends when it is ended from outside: by signals, and by nobody reading any more. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../../../../test/imitations/messages-format.ts';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import {
  CommandBench,
  endless,
  lives,
  missing,
  readEvents,
  readLastLine,
  readPid,
} from '../setup/command-bench.ts';

describe.skipIf(missing !== undefined)(`a run that is ended from outside ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
  });
  afterAll(() => bench?.close());

  // The gate has the other one at a question (run-questions).
  test.each(sample(['SIGTERM', 'SIGINT'] as const, { gate: 1 }))(
    '%s: it prints the outcome, dies of the signal, and leaves nothing',
    HUNT,
    async (signal) => {
      const repo = bench.makeRepo(signal);
      bench.script({ forever: endless });
      const run = bench.spawn(['cc', 'run', 'work forever', '--fresh', '--allow', 'Bash'], { cwd: repo });
      const pid = await readPid(repo);
      run.child.kill(signal);
      const ran = await run.ended;
      expect([ran.code, ran.signal, ran.stderr]).toEqual([null, signal, '']);
      expect(readLastLine(ran)).toEqual({
        result: 'aborted',
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        costs: expect.stringMatching(/^0 turns, \$0\.[1-9]/),
      });
      expect(lives(pid)).toBe(false);
    },
  );

  test('ends when its output is closed, and prints nothing more', LONG, async () => {
    const repo = bench.makeRepo('closed');
    const held = Promise.withResolvers<Reply>();
    bench.script({ unseen: () => held.promise });
    const run = bench.spawn(['cc', 'run', 'work unseen', '--fresh', '--allow', 'Bash', '--json'], {
      cwd: repo,
    });
    const [line] = await run.shows(/^.*\n/);
    run.child.stdout!.destroy();
    held.resolve(endless());
    const ran = await run.ended;
    expect([ran.code, ran.signal, ran.stderr]).toEqual([1, null, '']);
    const [started] = readEvents({ stdout: line });
    expect(started).toMatchObject({ type: 'started' });
    expect(lives((started as { pid: number }).pid)).toBe(false);
  });

  test('a signal while it waits for another run', LONG, async () => {
    const repo = bench.makeRepo('queue');
    bench.script({ forever: endless });
    const first = bench.spawn(['cc', 'run', 'work forever', '--fresh', '--allow', 'Bash'], { cwd: repo });
    await readPid(repo);
    const second = bench.spawn(['cc', 'run', 'come second'], { cwd: repo });
    await second.shows(/waiting for process/);
    second.child.kill('SIGINT');
    const ran = await second.ended;
    expect([ran.code, ran.signal, ran.stderr]).toEqual([null, 'SIGINT', '']);
    expect(ran.stdout).toMatch(/^… waiting for process \d+.*\n✗ aborted {2}nothing was started\n$/);
    first.child.kill('SIGTERM');
    await first.ended;
  });
});
