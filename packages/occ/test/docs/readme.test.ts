import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeDemoState } from '../../src/demo/write-state.ts';
import { cleanEnvironment } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { findCommandLines, parseCommandLine } from './command-lines.ts';
import { fillConsoleBlocks, readConsoleCommands } from './console-blocks.ts';

const README = join(import.meta.dirname, '../../README.md');
const readme = readFileSync(README, 'utf8');

it('shows a session of commands, all of them', () => {
  const commands = readConsoleCommands(readme).map((line) => line.split(' ')[1]);
  expect(new Set(commands)).toEqual(new Set(['list', 'info', 'edit', 'restore', 'clone']));
});

// `vitest run packages/occ/test/docs/readme.test.ts -u` gives the README the output of today.
it('what it shows is what occ says', async () => {
  const today = await fillConsoleBlocks(readme, makeTempFolder());
  await expect(today).toMatchFileSnapshot(README);
});

it.each([...new Set(findCommandLines(readme))])('%s is a command that occ takes', (line) => {
  expect(() => parseCommandLine(line)).not.toThrow();
});

it('its example of the library runs', async () => {
  const home = makeTempFolder();
  await writeDemoState(join(home, '.openclaw'), Date.now());
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme)!;
  const printed = execFileSync(
    process.execPath,
    ['--conditions=openbot-source', '--input-type=module-typescript', '--eval', example!],
    { cwd: import.meta.dirname, env: cleanEnvironment({ HOME: home }), encoding: 'utf8' },
  );
  const [tokens, sizes, resume] = printed.split('\n');
  expect(tokens).toMatch(/^109198 25362 calibrated$/);
  const [before, after] = sizes!.split(' ').map(Number);
  expect(before).toBeLessThan(after!);
  expect(resume).toMatch(/^openclaw agent --session-id /);
});
