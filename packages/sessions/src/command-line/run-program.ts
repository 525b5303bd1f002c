import { PLAIN_PALETTE } from '../terminal-text/palette.ts';
import { type CommandBody, findCommand, isGroup, type Program, type Surroundings } from './command.ts';
import { formatCommandHelp, formatHelp } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import { type ReportMode, reportError } from './report-error.ts';
import type { Environment } from './terminal.ts';
import { unknownCommand } from './usage-errors.ts';

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export async function runProgram<Context extends object>(
  program: Program<Context>,
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { env, terminal } = surroundings;
  let mode = guessMode(program, argv, env);
  try {
    const answer = answerAboutItself(program, argv, terminal.columns);
    if (answer !== undefined) {
      terminal.write(answer);
      return 0;
    }
    const { command, flags, words } = parseArguments(program, argv);
    const prepared = command.needsNoSettings ? undefined : await program.prepare?.(flags, surroundings);
    mode = prepared ?? mode;
    // Programs that read JSON take stderr for an error.
    const stopProgress = mode.json ? undefined : terminal.followProgress();
    try {
      const body = (await command.load()) as CommandBody<object>;
      await body({
        ...prepared?.context,
        flags: prepared === undefined ? flags : { ...flags, json: mode.json, verbose: mode.verbose },
        words,
        commandLine: [program.name, ...argv],
        env,
        get cwd() {
          return surroundings.cwd;
        },
        terminal: mode.json ? { ...terminal, palette: PLAIN_PALETTE } : terminal,
        get isInteractive() {
          return surroundings.isInteractive ?? false;
        },
        readInput: surroundings.readInput ?? (async () => ''),
      });
    } finally {
      stopProgress?.();
    }
    return 0;
  } catch (error) {
    return reportError(program, error, terminal, mode);
  }
}

/** Help, the version and the pages win over everything else on the line. */
function answerAboutItself(program: Program, argv: readonly string[], columns: number): string | undefined {
  const words = beforeDashes(argv);
  const names = words.filter((word) => !word.startsWith('-'));
  const isBare = argv.length === 0 || (isGroup(program, words[0]) && words[1] === undefined);
  if (isBare || words[0] === 'help' || words.includes('--help') || words.includes('-h')) {
    return formatHelpOn(program, words[0] === 'help' ? names.slice(1) : names, words, columns);
  }
  if (isGroup(program, words[0]) && words[1] === 'help') return formatHelp(program, columns);
  if (words.includes('--version') || words.includes('-V')) return `${program.version()}\n`;
  return Object.entries(program.pages ?? {}).find(([name]) => words.includes(`--${name}`))?.[1].text;
}

/** Of the command that the line begins with, or names somewhere: the value of a flag may precede it. */
function formatHelpOn(
  program: Program,
  names: readonly string[],
  words: readonly string[],
  columns: number,
): string {
  const isAllOfGroup = isGroup(program, names[0]) && (names[1] === undefined || names[1] === 'help');
  if (names.length === 0 || isAllOfGroup) return formatHelp(program, columns);
  const command = findCommand(program, names);
  if (command !== undefined) return formatCommandHelp(program, command, columns);
  if (words[0]?.startsWith('-')) {
    const later = names.flatMap((_, at) => findCommand(program, names.slice(at)) ?? [])[0];
    return later === undefined ? formatHelp(program, columns) : formatCommandHelp(program, later, columns);
  }
  throw unknownCommand(program, names);
}

/** For a failure that comes before the command line and the settings are understood. */
export function guessMode(program: Program, argv: readonly string[], env: Environment): ReportMode {
  const words = beforeDashes(argv);
  const json = words.findLast((word) => word === '--json' || word === '--no-json');
  return {
    json: json === undefined ? (program.prefersJson?.(env) ?? false) : json === '--json',
    // A program may have a flag of this name for something else.
    verbose: 'verbose' in program.commonFlags && words.includes('--verbose'),
  };
}

/** The words in which flags are looked for. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
