/** What a person sees in a terminal, by real processes in real terminals. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { type InTerminal, noTerminal, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { cleanEnvironment, OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';

const OPENBOT_LAUNCHER = join(OCC_LAUNCHER, '..', '..', '..', 'openbot', 'bin', 'openbot.js');

function show(args: readonly string[], options: Partial<InTerminal> & { launcher?: string } = {}) {
  const { launcher = OCC_LAUNCHER, env, ...rest } = options;
  const words = [process.execPath, launcher, ...args];
  return startInTerminal(words, { ...rest, env: cleanEnvironment(env) }).ended;
}

describe.skipIf(noTerminal !== undefined)(`in a terminal ${noTerminal ?? ''}`, () => {
  it.each(
    sample(
      [
        [40, 40],
        [64, 64],
        [100, 100],
        [200, 100],
      ],
      { gate: 2 },
    ),
  )('of %i columns help is at most %i wide', HUNT, async (columns, widest) => {
    for (const launcher of [OCC_LAUNCHER, OPENBOT_LAUNCHER]) {
      const { text } = await show(['--help'], { columns, launcher });
      const lines = text.trimEnd().split('\r\n');
      const wrapped = lines.filter((line) => !/^ {2}\S/.test(line));
      expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(widest);
      // It uses the width that there is.
      expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(widest - 12);
    }
  });

  it('COLUMNS wins over the terminal, and a pipe counts as 80', async () => {
    const { text } = await show(['--help'], { columns: 132, env: { COLUMNS: '60' } });
    expect(text.replaceAll('\r', '')).toBe((await runOcc(['--help'], { env: { COLUMNS: '60' } })).stdout);
    const piped = (await runOcc(['--help'])).stdout;
    expect(piped).toBe((await runOcc(['--help'], { env: { COLUMNS: '80' } })).stdout);
  });

  const PAINTED = /\[3\dm/;

  it.each([
    [['nonsense'], {}, true],
    [['nonsense', '--no-color'], {}, false],
    [['--no-color', 'nonsense'], { FORCE_COLOR: '1' }, false],
    [['nonsense'], { NO_COLOR: '1' }, false],
    [['nonsense'], { FORCE_COLOR: '0' }, false],
    [['nonsense'], { TERM: 'dumb' }, false],
    [['nonsense', '--', '--no-color'], {}, true],
  ])('occ %j with %j has colours: %s', async (args, env, isPainted) => {
    const { text, code } = await show(args, { env });
    expect([code, PAINTED.test(text)]).toEqual([1, isPainted]);
  });

  it('FORCE_COLOR colours what goes to a pipe, and JSON never', async () => {
    const env = { FORCE_COLOR: '2' };
    expect((await runOcc(['nonsense'], { env })).stderr).toMatch(PAINTED);
    expect((await runOcc(['nonsense', '--no-color'], { env })).stderr).not.toMatch(PAINTED);
    expect((await runOcc(['nonsense', '--json'], { env })).stderr).not.toMatch(PAINTED);
  });
});
