import type { Terminal } from '../commands/command.ts';

/** What we need of `process.stdout` and `process.stderr`. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Colour goes to terminals that can show it, unless NO_COLOR is set. */
export function openTerminal(
  stdout: OutputStream,
  stderr: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const mayColour = !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    write: (text) => void stdout.write(text),
    writeError: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns || 80,
    colour: mayColour && stdout.isTTY === true,
    errorColour: mayColour && stderr.isTTY === true,
  };
}
