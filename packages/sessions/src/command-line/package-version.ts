import { existsSync, readFileSync } from 'node:fs';
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

/** The version in the nearest package.json above a module: sources, build and bundle are not equally deep. */
export function readPackageVersion(moduleUrl: string): string {
  const manifest = findManifest(new URL('..', moduleUrl));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function findManifest(folder: URL): URL {
  const manifest = new URL('package.json', folder);
  const above = new URL('..', folder);
  return existsSync(manifest) || above.href === folder.href ? manifest : findManifest(above);
}
