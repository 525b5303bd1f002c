import type { Environment } from '@openbot/sessions/layout';
import { cutEnd, paletteFor } from '@openbot/sessions/terminal-text';
import type { Terminal } from '../commands/command.ts';

/** What we need of `process.stdout` and `process.stderr`. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const ERASE_LINE = '\r\u001b[K';
/** Of a terminal that does not tell. */
const USUAL_COLUMNS = 80;

/** Colour and progress go to terminals that can show them; what goes elsewhere is not cut. */
export function openTerminal(
  stdout: OutputStream,
  stderr: OutputStream,
  env: Environment,
  lost?: AbortSignal,
): Terminal {
  const isDumb = env.TERM === 'dumb';
  let hasProgress = false;
  const showProgress = (text: string | undefined) => {
    if (!stderr.isTTY || isDumb || (text === undefined && !hasProgress)) return;
    hasProgress = text !== undefined;
    // A line that wraps could not be erased, and one that is full may.
    stderr.write(`${ERASE_LINE}${cutEnd(text ?? '', (stderr.columns || USUAL_COLUMNS) - 1)}`);
  };
  const writeTo = (stream: OutputStream, text: string) => {
    showProgress(undefined);
    stream.write(text);
  };
  return {
    write: (text) => writeTo(stdout, text),
    writeError: (text) => writeTo(stderr, text),
    showProgress,
    columns: stdout.columns || (stdout.isTTY ? USUAL_COLUMNS : Number.POSITIVE_INFINITY),
    lost,
    palette: paletteFor(stdout.isTTY === true && !isDumb && !env.NO_COLOR),
  };
}
