import type { Palette } from '@openbot/claude-code';
import type { Environment } from '@openbot/sessions';
import type { Terminal } from '../commands/command.ts';

const paint =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;

const COLOURS: Palette = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  green: paint(32, 39),
  yellow: paint(33, 39),
  red: paint(31, 39),
};
const same = (text: string): string => text;
const PLAIN: Palette = { bold: same, dim: same, green: same, yellow: same, red: same };

/** What we need of `process.stdout` and `process.stderr`. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const ERASE_LINE = '\r\u001b[K';
const DEFAULT_COLUMNS = 100;

/** Colour and progress go to terminals that can show them. */
export function openTerminal(stdout: OutputStream, stderr: OutputStream, env: Environment): Terminal {
  const isDumb = env.TERM === 'dumb';
  const columns = stdout.columns || DEFAULT_COLUMNS;
  return {
    write: (text) => void stdout.write(text),
    writeError: (text) => void stderr.write(text),
    showProgress: (text) => {
      if (stderr.isTTY && !isDumb) stderr.write(`${ERASE_LINE}${text ?? ''}`);
    },
    columns,
    palette: stdout.isTTY && !isDumb && !env.NO_COLOR ? COLOURS : PLAIN,
  };
}
