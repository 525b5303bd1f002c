/** Makes dist/bin, the command line as it is installed. */
import { join } from 'node:path';
import { bundleCommand } from '../../sessions/build/bundle-command.ts';
import { COMMANDS } from '../src/cli/command-table.ts';

const PACKAGE = join(import.meta.dirname, '..');
const SOURCE = join(PACKAGE, 'src');
const NAMES = COMMANDS.map(({ name }) => name.replaceAll(' ', '-'));

const BUNDLES = {
  folder: PACKAGE,
  entries: new Map([
    ['openbot', join(SOURCE, 'cli', 'start.ts')],
    ['result-shapes', join(SOURCE, 'commands', 'result-shapes.ts')],
    ...NAMES.map((name) => [name, join(SOURCE, 'commands', `${name}.ts`)] as const),
  ]),
  external: ['@anthropic-ai/*', '@modelcontextprotocol/*'],
  onDemand: '@openbot/sessions/openclaw-database',
};

export async function bundleOpenbot(options: { clean?: boolean } = {}): Promise<void> {
  await bundleCommand(BUNDLES, options);
}

if (process.argv[1] === import.meta.filename) await bundleOpenbot({ clean: true });
