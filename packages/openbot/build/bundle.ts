/** Makes dist/bin, the command line as it is installed. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS as CLEANER_COMMANDS } from 'oc-context-cleaner/command-line';
import { bundleCommand } from '../../sessions/build/bundle-command.ts';
import { COMMANDS } from '../src/cli/command-table.ts';

const PACKAGE = join(import.meta.dirname, '..');
const SOURCE = join(PACKAGE, 'src');
const COMMAND_FOLDERS = readdirSync(join(SOURCE, 'commands'), { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);

/** The bundle of a command where it is not that of its folder: what shares most of its code shares a bundle. */
const OTHER_BUNDLE: Readonly<Record<string, string>> = {
  // The others edit the configuration.
  'agents-list': 'agents-list',
  // They open the state folder, or a bot on it.
  'agent-host': 'talk',
  'cc-send': 'talk',
  'gateway-worker': 'talk',
  'message-send': 'talk',
  'pairing-approve': 'talk',
  // They look at the same things.
  health: 'status',
  doctor: 'status',
  'cc-list': 'cc-list',
  // Without zod and the editor.
  'config-path': 'config-path',
  'cc-select': 'cc-select-status',
  'cc-status': 'cc-select-status',
  mcp: 'cc',
  // Without the bot, and not loaded by what asks it.
  'gateway-run': 'gateway-run',
};

/** The same for all other commands of a folder. */
const BUNDLE_OF_FOLDER: Readonly<Record<string, string>> = {
  // They have the cleaner inside, which finds and reads sessions of every program.
  history: 'reading',
  // With the editor of the configuration.
  agents: 'setup',
  channels: 'setup',
  config: 'setup',
  devices: 'gateway',
  init: 'setup',
  models: 'setup',
  pairing: 'gateway',
  'session-settings': 'session-changes',
};

/** The commands of occ, which are the files of its package. */
const CLEANER = join(PACKAGE, '..', 'occ', 'src');
const CLEAN = 'clean ';
const cleanFiles = CLEANER_COMMANDS.map(({ name }) => join(CLEANER, 'commands', `${name}.ts`));

const commands = COMMANDS.filter(({ name }) => !name.startsWith(CLEAN)).map(({ name }) => {
  const file = name.replaceAll(' ', '-');
  const folder = COMMAND_FOLDERS.find((one) => existsSync(join(SOURCE, 'commands', one, `${file}.ts`)));
  if (folder === undefined) throw new Error(`No folder of commands/ has ${file}.ts`);
  return {
    bundle: OTHER_BUNDLE[file] ?? BUNDLE_OF_FOLDER[folder] ?? folder,
    path: join(SOURCE, 'commands', folder, `${file}.ts`),
  };
});

/** What is loaded late, and has the same code as the commands of the bundle. */
const ALSO_IN: Readonly<Record<string, readonly string[]>> = {
  // Loaded by turns that search notes, start Claude Code, or speak by it.
  cc: [
    join(SOURCE, 'claude-code.ts'),
    join(SOURCE, 'memory-search', 'search-memory.ts'),
    join(SOURCE, 'memory-search', 'search-notes.ts'),
    join(SOURCE, 'runners', 'claude', 'runner.ts'),
  ],
  reading: [...cleanFiles, join(SOURCE, 'commands', 'clean', 'clean-here.ts')],
  // What brings an index up to date.
  search: [join(SOURCE, 'index-writing', 'catch-up-state.ts')],
  // Loaded where a folder of sessions is asked for an agent or its stores.
  sessions: ['commands/known-agent.ts', 'kept-sessions/open-session-folder.ts'].map((file) =>
    join(SOURCE, file),
  ),
  // Loaded where a session is changed, and not where sessions are listed.
  'session-changes': ['change-files.ts', 'in-use.ts'].map((file) =>
    join(SOURCE, 'kept-sessions', 'files', file),
  ),
};

/** The networks: folders of `channels/` with a driver. */
function listDrivers(): string[] {
  return readdirSync(join(SOURCE, 'channels')).filter((name) =>
    existsSync(join(SOURCE, 'channels', name, 'driver.ts')),
  );
}

const BUNDLES = {
  folder: PACKAGE,
  program: 'openbot',
  entries: new Map<string, string[]>([
    ['start', [join(SOURCE, 'cli', 'start.ts')]],
    ['help-pages', [join(SOURCE, 'cli', 'help-pages.ts')]],
    ...COMMAND_FOLDERS.map((folder): [string, string[]] => [
      `${folder}-result-shapes`,
      [join(SOURCE, 'commands', folder, 'result-shapes.ts')].filter((path) => existsSync(path)),
    ]).filter(([, files]) => files.length > 0),
    ['clean-result-shapes', [join(CLEANER, 'commands', 'result-shapes.ts')]],
    ['clean-settings', [join(CLEANER, 'config', 'load-files.ts')]],
    // Loaded where there is an openbot.json, its settings are completed, or it names a table of prices; with zod inside, of which it
    // needs a small part.
    [
      'config-file',
      ['config/config-file', 'config/schema/look-up', 'usage/prices/read-price-table'].map((file) =>
        join(SOURCE, `${file}.ts`),
      ),
    ],
    // Loaded where a report has to read transcripts, or looks at more than Claude Code's.
    [
      'usage-reading',
      [
        'usage/recount',
        'usage/sources/read-claude',
        'usage/sources/openbot',
        'usage/sources/openclaw',
        'usage/sources/pi',
        'usage/prices/pi-prices',
      ].map((file) => join(SOURCE, `${file}.ts`)),
    ],
    // Loaded where a gateway runs.
    [
      'gateway-client',
      ['gateway-client/connect-gateway', 'gateway-client/say-through', 'gateway-client/changes-through']
        .map((file) => join(SOURCE, `${file}.ts`))
        .concat(join(SOURCE, 'gateway-process', 'readiness.ts')),
    ],
    // Loaded where a rule forbids commands; with the parser inside.
    ['command-rules', [join(SOURCE, 'permissions', 'started-commands.ts')]],
    // Loaded where the model is not a scripted one. pi itself is installed beside it.
    ['pi-runner', [join(SOURCE, 'runners', 'pi', 'runner.ts')]],
    // Each is loaded where its network is configured; the library of the network is installed beside it.
    ...listDrivers().map((name): [string, string[]] => [
      `channel-${name}`,
      [join(SOURCE, 'channels', name, 'driver.ts')],
    ]),
    ...[...Map.groupBy(commands, ({ bundle }) => bundle)].map(([bundle, those]): [string, string[]] => [
      bundle,
      [...those.map(({ path }) => path), ...(ALSO_IN[bundle] ?? [])],
    ]),
  ]),
  external: ['@anthropic-ai/*', '@discordjs/*', '@modelcontextprotocol/*', 'confbox', 'grammy', 'sqlite-vec'],
  // The settings of occ need all of it, and only where there are some.
  exactExternal: ['zod'],
  // The cleaner is installed beside it, and loaded by the rare turn that cleans. What imports it at once has it inside.
  lateExternal: ['oc-context-cleaner'],
  // They read transcripts of Claude Code, and no database.
  light: ['cc-list', 'cc-select-status', 'config-path'],
  // It finds and follows sessions, and changes none.
  neverLate: { search: /\/(?:rewriting|use|open-calls)\.ts$/ },
};

export async function bundleOpenbot(options: { clean?: boolean } = {}): Promise<void> {
  await bundleCommand(BUNDLES, options);
}

if (process.argv[1] === import.meta.filename) await bundleOpenbot({ clean: true });
