import { PLAIN_PALETTE } from '../terminal-text/palette.ts';
import type { CommandBody, Program, Surroundings } from './command.ts';
import { explainItself } from './explain-itself.ts';
import { parseArguments } from './parse-arguments.ts';
import { type ReportMode, reportError } from './report-error.ts';
import type { Environment, Terminal } from './terminal.ts';

/** Runs one command line, without the names of node and the program. Returns the exit code; never throws. */
export async function runProgram<Context extends object>(
  program: Program<Context>,
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { env, terminal } = surroundings;
  let mode = guessMode(program, argv, env);
  try {
    const answer = await explainItself(program, beforeDashes(argv), terminal.columns);
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
        terminal: mode.json ? withoutColour(terminal) : terminal,
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

/** What the terminal makes when it is asked for is not made here. */
function withoutColour(terminal: Terminal): Terminal {
  const all = Object.getOwnPropertyDescriptors(terminal);
  return Object.defineProperties({}, { ...all, palette: { value: PLAIN_PALETTE } }) as Terminal;
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
