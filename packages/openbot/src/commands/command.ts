import type { Environment } from '@openbot/sessions/layout';
import type { Palette } from '@openbot/sessions/terminal-text';
import { toJsonText } from '@openbot/sessions/terminal-text';

/** Where output goes. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  /** Replaces the line of progress; `undefined` erases it. Does nothing if stderr is no terminal. */
  showProgress(text: string | undefined): void;
  /** Its width; infinite if the output does not go to a terminal. */
  readonly columns: number;
  readonly palette: Palette;
  /** Aborted when the output cannot be written any more. */
  readonly lost?: AbortSignal;
}

export type FlagValue = string | boolean | readonly string[] | undefined;

/** The words and flags of one call, as its `CommandSpec` allows them. */
export interface CommandInput {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly env: Environment;
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Whether standard input and stderr are a terminal. */
  readonly isInteractive: boolean;
  /** Standard input to its end. */
  readInput(): Promise<string>;
}

/** Rejects if the command fails. */
export type Command = (input: CommandInput) => Promise<void>;

export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${toJsonText(value, 2)}\n`);
}
