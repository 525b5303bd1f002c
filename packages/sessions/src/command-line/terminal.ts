import { toJsonText } from '../terminal-text/json-text.ts';
import { type Palette, paletteFor } from '../terminal-text/palette.ts';
import type { OutputStream } from './output.ts';
import { ProgressLine } from './progress-line.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where output goes. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  /** Says on stderr what takes long, from now on. Returns the function that ends this. */
  followProgress(): () => void;
  /** For output that does not go through this terminal, and for the end of the process. */
  eraseProgress(): void;
  /** Whether stdout is a terminal, not a pipe or a file. */
  readonly isTerminal: boolean;
  /** COLUMNS, or the width of the terminal now; 80 where neither is known. */
  readonly columns: number;
  /** Where a line is cut: at the edge of the terminal; a pipe has none, and its reader wants whole lines. */
  readonly maxLineWidth: number;
  /** Plain where stdout shows no colour. */
  readonly palette: Palette;
  /** The same for stderr. */
  readonly errorPalette: Palette;
  /** Aborted when stdout cannot be written any more: work that only serves the output can stop. */
  readonly lost?: AbortSignal;
}

/** One JSON value, readable by people and programs alike. */
export function writeJson(terminal: Pick<Terminal, 'write'>, value: unknown): void {
  terminal.write(`${toJsonText(value, 2)}\n`);
}

const USUAL_COLUMNS = 80;

export function openTerminal(
  stdout: OutputStream,
  stderr: OutputStream,
  env: Environment,
  getLost?: () => AbortSignal,
): Terminal {
  const isDumb = env.TERM === 'dumb';
  const hasColour = (stream: OutputStream) => wantsColour(env) ?? (stream.isTTY === true && !isDumb);
  const progress = new ProgressLine(stderr, isDumb);
  const writeTo = (stream: OutputStream, text: string) => {
    progress.erase();
    stream.write(text);
  };
  const readWidth = () => readColumns(env) ?? (stdout.columns || USUAL_COLUMNS);
  return {
    write: (text) => writeTo(stdout, text),
    writeError: (text) => writeTo(stderr, text),
    followProgress: () => progress.follow(),
    eraseProgress: () => progress.erase(),
    isTerminal: stdout.isTTY === true,
    get columns() {
      return readWidth();
    },
    maxLineWidth: stdout.isTTY || stdout.columns ? readWidth() : Number.POSITIVE_INFINITY,
    palette: paletteFor(hasColour(stdout)),
    errorPalette: paletteFor(hasColour(stderr)),
    get lost() {
      return getLost?.();
    },
  };
}

/** Undefined where the environment leaves it to the terminal. Both variables say nothing when they are empty. */
function wantsColour({ NO_COLOR, FORCE_COLOR }: Environment): boolean | undefined {
  if (NO_COLOR) return false;
  return FORCE_COLOR ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false' : undefined;
}

function readColumns({ COLUMNS }: Environment): number | undefined {
  return /^[1-9]\d{0,4}$/.test(COLUMNS ?? '') ? Number(COLUMNS) : undefined;
}
