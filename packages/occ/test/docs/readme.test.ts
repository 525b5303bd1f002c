import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { findCommandLines, parseCommandLine } from './command-lines.ts';
import { fillConsoleBlocks, readConsoleCommands } from './console-blocks.ts';

const README = join(import.meta.dirname, '../../README.md');
const readme = readFileSync(README, 'utf8');

it('shows a session of commands, all of them', () => {
  const commands = readConsoleCommands(readme).map((line) => line.split(' ')[1]);
  expect(new Set(commands)).toEqual(new Set(['list', 'info', 'edit', 'restore', 'clone']));
});

// With `vitest run -u` the README is given the output of today.
it('what it shows is what occ says', async () => {
  const today = await fillConsoleBlocks(readme, makeTempFolder());
  await expect(today).toMatchFileSnapshot(README);
});

it.each([...new Set(findCommandLines(readme))])('%s is a command that occ takes', (line) => {
  expect(() => parseCommandLine(line)).not.toThrow();
});
