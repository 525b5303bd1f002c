import { readFileSync } from 'node:fs';
import type { Command, Program } from './command.ts';

/** The command `version` of a program, beside its flag. */
export function declareVersion(name: string, program: () => Program): Command {
  return {
    name: 'version',
    summary: 'Print the version',
    positionals: [],
    flags: {},
    examples: [[`${name} version`, 'the same as --version']],
    needsNoSettings: true,
    load: async () => async (input: { terminal: { write(text: string): void } }) =>
      input.terminal.write(`${program().version()}\n`),
  };
}

/** The version in the nearest package.json two folders above a module: sources, build and bundle are all that deep. */
export function readPackageVersion(moduleUrl: string): string {
  const manifest = readFileSync(new URL('../../package.json', moduleUrl), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
