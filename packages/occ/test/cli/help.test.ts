import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOcc, runOccHere } from '../setup/run-occ.ts';

/** As a person would list them, not as the table does. */
const FLAGS: Record<string, string[]> = {
  edit: [
    '--strip-tools[=preset]',
    '--keep <n>',
    '--truncate <percent>',
    '--dry-run',
    '--wait[=seconds]',
    '--when-idle',
    '--force',
  ],
  clone: [
    '--strip-tools[=preset]',
    '--keep <n>',
    '--truncate <percent>',
    '--dry-run',
    '-o, --output <file>',
    '--no-register',
    '--force',
  ],
  list: ['-n, --limit <n>'],
  info: [],
  restore: ['--list', '--backup <n>', '--wait[=seconds]', '--force'],
  demo: [],
};
const COMMON = [
  '--state-dir <dir>',
  '--agent <id>',
  '--all-agents',
  '--source <openclaw|pi|claude|all>',
  '--[no-]json',
  '--[no-]verbose',
  '-h, --help',
];
/** The demo looks for nobody's sessions. */
const commonOf = (command: string) => (command === 'demo' ? COMMON.slice(-3) : COMMON);
const ALL = [...new Set([...COMMON, ...Object.values(FLAGS).flat()])];

describe('help', () => {
  it('TC-7.7a help flag shows usage', async () => {
    const { code, stdout, stderr } = await runOcc(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage:\n  occ <command> [session] [flags]');
    for (const command of Object.keys(FLAGS)) expect(stdout).toMatch(new RegExp(`^  ${command} .*\\w`, 'm'));
    for (const flag of [...COMMON, '--version', '--quickstart']) expect(stdout).toContain(`  ${flag} `);
    for (const preset of ['default', 'aggressive', 'extreme']) expect(stdout).toContain(`  ${preset} `);
  });

  it.each(Object.keys(FLAGS))('%s has a help of its own, with its flags and no others', async (command) => {
    const { code, stdout } = await runOccHere([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage:\n  occ ${command} `);
    expect(stdout).toContain(`Examples:\n  occ ${command}`);
    const shown = ALL.filter((flag) => stdout.includes(`\n  ${flag} `));
    expect(shown.sort()).toEqual([...FLAGS[command]!, ...commonOf(command)].sort());
  });

  it.each([[['-h']], [['help']], [[]]])('occ %j shows the same', async (args) => {
    expect(await runOccHere(args)).toEqual(await runOccHere(['--help']));
  });

  it.each([
    [['help', 'edit']],
    [['edit', '-h']],
    [['--help', 'edit']],
    [['edit', 'abc', '--bogus', '--help']],
    [['edit', 'list', '--help']],
    [['edit', '--agent', 'clone', '--help']],
  ])('occ %j shows the help of edit', async (args) => {
    expect(await runOccHere(args)).toEqual(await runOccHere(['edit', '--help']));
  });

  it.each([
    [['edti', '--help'], 'Did you mean edit?'],
    [['edti', 'list', '-h'], 'Did you mean edit?'],
    [['help', 'restor'], 'Did you mean restore?'],
  ])('occ %j names the nearest command instead', async (args, meant) => {
    const { code, stdout, stderr } = await runOccHere(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: Unknown command: (edti|restor)\n/);
    expect(stderr).toContain(meant);
  });

  it('help of what is no command is refused', async () => {
    const { code, stderr } = await runOccHere(['help', 'clean']);
    expect([code, stderr]).toEqual([1, "Error: Unknown command: clean\n  'occ --help' lists the commands\n"]);
  });

  it('lines fit on a screen of 80 columns', async () => {
    for (const args of [
      ['--help'],
      ['--quickstart'],
      ...Object.keys(FLAGS).map((name) => [name, '--help']),
    ]) {
      const { stdout } = await runOccHere(args);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

it('TC-7.8a quickstart shows condensed help', async () => {
  const { code, stdout, stderr } = await runOccHere(['--quickstart']);
  expect([code, stderr]).toEqual([0, '']);
  for (const text of [
    'occ edit --strip-tools',
    'occ info',
    '--dry-run',
    'occ restore',
    '--json',
    'scheduled',
  ]) {
    expect(stdout).toContain(text);
  }
  // About 250 tokens, by the usual measure of four characters each, without the spaces that align columns.
  const tokens = stdout.replace(/ {2,}/g, ' ').length / 4;
  expect(tokens).toBeGreaterThan(200);
  expect(tokens).toBeLessThan(300);
});

it('the version is that of the package', async () => {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  ) as { version: string };
  expect(await runOcc(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});
