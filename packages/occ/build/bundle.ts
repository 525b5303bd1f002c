/** Makes dist/bin, the command line as it is installed. */
import { join } from 'node:path';
import { bundleCommand } from '../../sessions/build/bundle-command.ts';
import { COMMANDS } from '../src/cli/command-table.ts';

const PACKAGE = join(import.meta.dirname, '..');
const SOURCE = join(PACKAGE, 'src');
const OTHERS = COMMANDS.map(({ name }) => name).filter((name) => name !== 'list');

const BUNDLES = {
  folder: PACKAGE,
  program: 'occ',
  entries: new Map([
    ['start', [join(SOURCE, 'cli', 'start.ts')]],
    ['result-shapes', [join(SOURCE, 'commands', 'result-shapes.ts')]],
    ['load-files', [join(SOURCE, 'config', 'load-files.ts')]],
    ['list', commandFiles('list')],
    ['commands', commandFiles(...OTHERS)],
  ]),
  external: ['confbox', 'zod'],
  // It opens no session as a whole.
  light: ['list'],
};

function commandFiles(...names: string[]): string[] {
  return names.map((name) => join(SOURCE, 'commands', `${name}.ts`));
}

export async function bundleOcc(options: { clean?: boolean } = {}): Promise<void> {
  await bundleCommand(BUNDLES, options);
}

if (process.argv[1] === import.meta.filename) await bundleOcc({ clean: true });
