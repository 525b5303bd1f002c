/** Makes dist/bin, the command line as it is installed. */
import { join } from 'node:path';
import { bundleCommand } from '../../sessions/build/bundle-command.ts';
import { COMMANDS } from '../src/cli/command-table.ts';

const PACKAGE = join(import.meta.dirname, '..');
const SOURCE = join(PACKAGE, 'src');
const OWN = ['agent', 'cc-send', 'cc-list', 'cc-select', 'cc-status'];
const OTHERS = COMMANDS.map(({ name }) => name.replaceAll(' ', '-')).filter((name) => !OWN.includes(name));

const BUNDLES = {
  folder: PACKAGE,
  program: 'openbot',
  entries: new Map([
    ['start', [join(SOURCE, 'cli', 'start.ts')]],
    ['result-shapes', [join(SOURCE, 'commands', 'result-shapes.ts')]],
    // Both open the state folder.
    ['agent', commandFiles('agent', 'cc-send')],
    // Loaded where there is an openbot.json; with zod inside, of which it needs a small part.
    ['config-file', [join(SOURCE, 'config', 'config-file.ts')]],
    // Loaded where the model is not a scripted one. pi itself is installed beside it.
    ['pi-runner', [join(SOURCE, 'runners', 'pi', 'runner.ts')]],
    ['cc-list', commandFiles('cc-list')],
    ['cc-select-status', commandFiles('cc-select', 'cc-status')],
    // With `cc run`, which has the same code; loaded by turns that search notes, start Claude Code, or speak by it.
    [
      'commands',
      [
        ...commandFiles(...OTHERS),
        join(SOURCE, 'claude-code.ts'),
        join(SOURCE, 'runners', 'claude', 'runner.ts'),
      ],
    ],
  ]),
  // The cleaner is installed beside it, and loaded by the rare turn that cleans.
  external: ['@anthropic-ai/*', '@modelcontextprotocol/*', 'confbox', 'oc-context-cleaner'],
  // They read transcripts of Claude Code, and no database.
  light: ['cc-list', 'cc-select-status'],
};

function commandFiles(...names: string[]): string[] {
  return names.map((name) => join(SOURCE, 'commands', `${name}.ts`));
}

export async function bundleOpenbot(options: { clean?: boolean } = {}): Promise<void> {
  await bundleCommand(BUNDLES, options);
}

if (process.argv[1] === import.meta.filename) await bundleOpenbot({ clean: true });
