import type { Palette } from '@openbot/claude-code';
import type { Environment } from '@openbot/sessions';

/** Where output goes. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  /** What is shown while a person waits and is gone afterwards; nothing where nobody watches. */
  showProgress(text: string | undefined): void;
  readonly columns: number;
  readonly palette: Palette;
}

/** The words and flags of one call, as `CommandSpec` allows them. */
export interface CommandInput {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly env: Environment;
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
}

/** Resolves when it is done; a failure is thrown. */
export type Command = (input: CommandInput) => Promise<void>;

export function readText({ flags }: CommandInput, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);
}
