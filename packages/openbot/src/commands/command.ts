import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import type { Palette } from '@openbot/sessions/terminal-text';
import { toJsonText } from '@openbot/sessions/terminal-text';

/** Where output goes. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  /** What is shown while a person waits and is gone afterwards; nothing where nobody watches. */
  showProgress(text: string | undefined): void;
  /** How wide it is; no limit where the output is not shown on a terminal. */
  readonly columns: number;
  readonly palette: Palette;
  /** Aborted when what is written reaches nobody any more. */
  readonly lost?: AbortSignal;
}

export type FlagValue = string | boolean | readonly string[] | undefined;

/** The words and flags of one call, as `CommandSpec` allows them. */
export interface CommandInput {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly env: Environment;
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Standard input to its end. */
  readInput(): Promise<string>;
}

/** Resolves when it is done; a failure is thrown. */
export type Command = (input: CommandInput) => Promise<void>;

export function readText({ flags }: Pick<CommandInput, 'flags'>, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** A text that must say something. `example` is a value that it could have. */
export function readName(
  input: Pick<CommandInput, 'flags'>,
  name: string,
  example: string,
): string | undefined {
  const text = readText(input, name);
  if (text?.trim() === '') {
    throw new OpenBotError('USAGE', `--${name} is empty`, {
      hint: `Leave it out, or give it a value: --${name} ${example}`,
    });
  }
  return text?.trim();
}

export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${toJsonText(value, 2)}\n`);
}
