import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { OpenBotError } from '../errors.ts';
import type { Program } from './command.ts';
import { longFlag } from './flags.ts';
import { openOutput } from './output.ts';
import { reportError } from './report-error.ts';
import { beforeDashes, guessMode, runProgram } from './run-program.ts';
import { openTerminal } from './terminal.ts';

export interface StartOptions {
  /** A working folder that was deleted keeps its name for the command, instead of being an error. */
  readonly allowsDeletedFolder?: boolean;
  /** Has the function called before the process dies of a signal. */
  readonly beforeEnding?: (undo: () => void) => unknown;
  /** Nothing goes on after the command: the process exits at once, without giving its memory back piece by piece. */
  readonly exits?: boolean;
}

/** Runs the command line of this process on its own terminal, and sets the exit code. */
export async function startProgram<Context extends object>(
  program: Program<Context>,
  { allowsDeletedFolder = false, beforeEnding, exits = false }: StartOptions = {},
): Promise<void> {
  const { env } = process;
  const argv = process.argv.slice(2);
  // Made when it is needed: most commands do without it, and it is not loaded yet.
  let lost: AbortController | undefined;
  const getLost = () => {
    lost ??= new AbortController();
    return lost;
  };
  const stderr = openOutput(2, () => {});
  const stdout = openOutput(1, (error) => {
    getLost().abort(error);
    // The reader of a pipe may leave early (`occ list | head -1`); that is no failure.
    if (error.code !== 'EPIPE') {
      process.once('exit', () => {
        process.exitCode = reportError(program, outputFailed(error), terminal, guessMode(program, argv, env));
      });
    }
  });
  const isPlain = beforeDashes(argv).includes(longFlag('noColor'));
  const terminal = openTerminal(
    stdout,
    stderr,
    isPlain ? { ...env, NO_COLOR: '1' } : env,
    () => getLost().signal,
  );
  beforeEnding?.(() => terminal.eraseProgress());
  let folder: string | undefined;
  process.exitCode = await runProgram(program, argv, {
    env,
    get cwd() {
      // Reading it may move the process, so it is read once.
      folder ??= readWorkingFolder(allowsDeletedFolder ? env.PWD : undefined);
      return folder;
    },
    terminal,
    get isInteractive() {
      return process.stdin.isTTY === true && stderr.isTTY === true;
    },
    readInput,
  });
  if (exits && !stdout.writableLength && !stderr.writableLength) process.exit();
}

async function readInput(mostBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
    if (bytes > mostBytes) break;
  }
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

function outputFailed(cause: Error): OpenBotError {
  return new OpenBotError('UNEXPECTED', `The output could not be written: ${cause.message}`, {
    hint: 'Check its destination: the disk may be full, or the file closed. Changes that the command made remain',
    cause,
  });
}

/**
 * A folder that was deleted meanwhile still has its name, and what is looked for there is not found; the process itself
 * moves to the nearest folder above that exists, for itself and for the processes that it starts.
 */
function readWorkingFolder(name: string | undefined): string {
  try {
    return process.cwd();
  } catch {
    if (name === undefined || !isAbsolute(name)) {
      throw new OpenBotError('USAGE', 'The working folder no longer exists', {
        hint: 'Go to a folder that exists: cd ~',
      });
    }
    process.chdir(findExisting(name));
    return name;
  }
}

function findExisting(folder: string): string {
  return existsSync(folder) ? folder : findExisting(dirname(folder));
}
