import type { Settings } from '../config/settings.ts';
import type { SourceChoice } from '../storage/contract/found-session.ts';

/** What a bare `--wait` means. */
export const DEFAULT_WAIT_SECONDS = 600;

/** Where output goes. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  /** False for a pipe or a file. */
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whether output may be coloured: on a terminal, unless NO_COLOR is set. */
  readonly colour: boolean;
  /** The same for errors. */
  readonly errorColour: boolean;
}

/** The flags of all commands, parsed and checked. A flag that was not given, or that the command does not have, is absent. */
export interface Flags {
  /** `--json`, or what the settings say. */
  readonly json?: boolean;
  /** `--verbose`, or what the settings say. */
  readonly verbose?: boolean;
  /** A configuration file that counts instead of all others. */
  readonly config?: string;
  readonly stateDir?: string;
  readonly agent?: string;
  readonly allAgents?: boolean;
  readonly source?: SourceChoice;
  /** True for a bare `--strip-tools`, else the name of a preset. */
  readonly stripTools?: true | string;
  readonly keep?: number;
  readonly truncate?: number;
  readonly truncateOver?: number;
  readonly dryRun?: boolean;
  /** Seconds. */
  readonly wait?: number;
  readonly whenIdle?: boolean;
  readonly force?: boolean;
  readonly output?: string;
  readonly noRegister?: boolean;
  readonly limit?: number;
  readonly list?: boolean;
  readonly backup?: number;
  readonly original?: boolean;
  readonly noOriginal?: boolean;
}

export interface CommandInput {
  readonly flags: Flags;
  /** What stands on the command line beside the flags; never more than the command takes. */
  readonly words: readonly string[];
  /** Everything that stands on it, the program first. */
  readonly commandLine: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Of the environment and the configuration. */
  readonly settings: Settings;
}

/** Throws OpenBotError or OpenBotError; the command line turns it into text and an exit code. */
export type Command = (input: CommandInput) => Promise<void>;
