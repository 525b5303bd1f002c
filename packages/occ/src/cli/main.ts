import { basename, dirname } from 'node:path';
import { printable } from '@openbot/sessions/terminal-text';
import type { Flags, Terminal } from '../commands/command.ts';
import { loadSettings } from '../config/settings.ts';
import { COMMAND_NAMES } from './flag-table.ts';
import { formatCommandHelp, formatHelp } from './help.ts';
import { loadCommand } from './load-command.ts';
import { parseArguments, readCommand } from './parse-arguments.ts';
import { QUICKSTART } from './quickstart.ts';
import { reportError } from './report-error.ts';
import { readVersion } from './version.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Read only where a command is run: reading it may fail. */
  readonly cwd: string;
  readonly terminal: Terminal;
}

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, terminal } = surroundings;
  let json = guessJson(argv, env);
  let verbose = argv.includes('--verbose');
  try {
    const answer = answerAboutItself(argv);
    if (answer !== undefined) {
      terminal.write(answer);
      return 0;
    }
    const parsed = parseArguments(argv);
    const { cwd } = surroundings;
    const settings = await loadSettings({ env, cwd, flags: parsed.flags });
    json = settings.outputFormat === 'json';
    verbose = settings.verboseOutput;
    if (!json) noteCodeNotRun(settings.notRun, terminal);
    const flags: Flags = { ...parsed.flags, json, verbose };
    const command = await loadCommand(parsed.command);
    const shown = json ? { ...terminal, colour: false } : terminal;
    await command({
      flags,
      words: parsed.words,
      commandLine: ['occ', ...argv],
      env,
      cwd,
      terminal: shown,
      settings,
    });
    return 0;
  } catch (error) {
    return reportError(error, terminal, { json, verbose });
  }
}

/** On stderr, beside the report. Programs that read JSON get no remarks. */
function noteCodeNotRun(path: string | undefined, terminal: Terminal): void {
  if (path === undefined) return;
  const shown = printable(basename(path));
  const where = basename(dirname(path)) === '.config' ? `.config/${shown}` : shown;
  terminal.writeError(
    `Note: ${where} in this folder is code, so it is not run. If you trust it: occ --config ${where} …\n`,
  );
}

/** Help, the version and the quickstart win over everything else on the line. */
function answerAboutItself(argv: readonly string[]): string | undefined {
  const words = beforeDashes(argv);
  const asksHelp = words[0] === 'help';
  if (argv.length === 0 || asksHelp || words.includes('--help') || words.includes('-h')) {
    const first = asksHelp ? words.slice(1).find((word) => !word.startsWith('-')) : words[0];
    if (first !== undefined && !first.startsWith('-')) return formatCommandHelp(readCommand(first));
    const command = words.flatMap((word) => COMMAND_NAMES.find((name) => name === word) ?? [])[0];
    return command === undefined ? formatHelp() : formatCommandHelp(command);
  }
  if (words.includes('--version')) return `${readVersion()}\n`;
  if (words.includes('--quickstart')) return QUICKSTART;
  return undefined;
}

/** For a failure that comes before the command line and the settings are understood. */
function guessJson(argv: readonly string[], env: Surroundings['env']): boolean {
  const said = beforeDashes(argv).findLast((word) => word === '--json' || word === '--no-json');
  return said === undefined ? env.OCC_OUTPUT_FORMAT?.trim().toLowerCase() === 'json' : said === '--json';
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
