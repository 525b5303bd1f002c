import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/flag-table.ts';
import { formatCommandHelp, formatHelp } from '../../src/cli/help.ts';
import { QUICKSTART } from '../../src/cli/quickstart.ts';
import { findHelpCommandLines, parseCommandLine } from './command-lines.ts';

const TEXTS: Readonly<Record<string, string>> = {
  '--help': formatHelp(),
  '--quickstart': QUICKSTART,
  ...Object.fromEntries(COMMAND_NAMES.map((name) => [`${name} --help`, formatCommandHelp(name)])),
};

describe.each(Object.entries(TEXTS))('occ %s', (_, text) => {
  const lines = findHelpCommandLines(text);

  it('shows commands', () => expect(lines.length).toBeGreaterThan(0));

  it.each(lines)('%s is a command that occ takes', (line) => {
    expect(() => parseCommandLine(line)).not.toThrow();
  });
});

it('a line that occ would refuse is found out', () => {
  expect(() => parseCommandLine('occ edit --strip-tool')).toThrow('--strip-tool');
});
