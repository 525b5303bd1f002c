import type { Environment } from '@openbot/sessions';
import { paletteFor } from '@openbot/sessions/terminal-text';
import type { Terminal } from '../commands/command.ts';

/** What we need of `process.stdout` and `process.stderr`. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
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
  const columns = stdout.columns || (stdout.isTTY ? USUAL_COLUMNS : Number.POSITIVE_INFINITY);
  return {
    write: (text) => void stdout.write(text),
    writeError: (text) => void stderr.write(text),
    showProgress: (text) => {
      if (stderr.isTTY && !isDumb) stderr.write(`${ERASE_LINE}${text ?? ''}`);
    },
    columns,
    lost,
    palette: paletteFor(stdout.isTTY === true && !isDumb && !env.NO_COLOR),
  };
}
