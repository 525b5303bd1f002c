import { toJsonText } from '../terminal-text/json-text.ts';
import { type Palette, paletteFor } from '../terminal-text/palette.ts';
import { printable } from '../terminal-text/printable.ts';
import { wrapProse } from '../terminal-text/text-width.ts';
import type { OutputStream } from './output.ts';
import { ProgressLine } from './progress-line.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where output goes. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  /** Sentences for people, on stdout: lines that are wider than the terminal are broken between words. */
  say(text: string): void;
  /** The same on stderr. */
  warn(text: string): void;
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

/** On stderr, beside the result; for programs as JSON. */
export function writeWarning(
  terminal: Pick<Terminal, 'writeError' | 'warn' | 'errorPalette'>,
  message: string,
  { json = false }: { readonly json?: boolean } = {},
): void {
  if (json) terminal.writeError(`${toJsonText({ warning: { message } })}\n`);
  else terminal.warn(`${terminal.errorPalette.yellow('Warning:')} ${printable(message)}\n`);
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
  const widthOf = (stream: OutputStream) => readColumns(env) ?? (stream.columns || USUAL_COLUMNS);
  const edgeOf = (stream: OutputStream, isEdge: unknown) =>
    isEdge ? widthOf(stream) : Number.POSITIVE_INFINITY;
  const wrap = (text: string, stream: OutputStream) => wrapProse(text, edgeOf(stream, stream.isTTY));
  return {
    write: (text) => writeTo(stdout, text),
    writeError: (text) => writeTo(stderr, text),
    say: (text) => writeTo(stdout, wrap(text, stdout)),
    warn: (text) => writeTo(stderr, wrap(text, stderr)),
    followProgress: () => progress.follow(),
    eraseProgress: () => progress.erase(),
    isTerminal: stdout.isTTY === true,
    get columns() {
      return widthOf(stdout);
    },
    maxLineWidth: edgeOf(stdout, stdout.isTTY || stdout.columns),
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
