import { DEFAULT_WAIT_SECONDS, type Flags } from '../commands/command.ts';

export type ValueKind = 'text' | 'path' | 'count' | 'positive' | 'percent' | 'seconds' | 'source';

export interface FlagValue {
  readonly kind: ValueKind;
  /** What stands for the value in help. */
  readonly placeholder: string;
  /** The flag may stand alone, and takes a value only after `=`. */
  readonly optional?: true;
}

export interface FlagSpec {
  readonly key: keyof Flags;
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly value?: FlagValue;
  /** `--no-<name>` takes back what the environment or the configuration sets. */
  readonly negatable?: true;
  readonly help: string;
}

const flag = (spec: FlagSpec): FlagSpec => spec;

const JSON_OUTPUT = flag({
  key: 'json',
  name: 'json',
  negatable: true,
  help: 'Print one JSON value instead of text; errors too, on stderr',
});
const VERBOSE = flag({
  key: 'verbose',
  name: 'verbose',
  negatable: true,
  help: 'Say more: turn analysis, full figures',
});
const STATE_DIR = flag({
  key: 'stateDir',
  name: 'state-dir',
  value: { kind: 'path', placeholder: 'dir' },
  help: 'The OpenClaw state folder; means --source openclaw',
});
const AGENT = flag({
  key: 'agent',
  name: 'agent',
  value: { kind: 'text', placeholder: 'id' },
  help: 'The OpenClaw agent (main when nothing says otherwise)',
});
const ALL_AGENTS = flag({ key: 'allAgents', name: 'all-agents', help: 'Look at every OpenClaw agent' });
const SOURCE = flag({
  key: 'source',
  name: 'source',
  value: { kind: 'source', placeholder: 'openclaw|pi|claude|all' },
  help: 'Whose sessions to look at',
});

const CONFIG = flag({
  key: 'config',
  name: 'config',
  value: { kind: 'path', placeholder: 'file' },
  help: 'Take the settings from this file and no other; a .ts or .js file is run',
});

/** Every command has these. */
const OUTPUT_FLAGS: readonly FlagSpec[] = [JSON_OUTPUT, VERBOSE];
/** So has every command that looks for sessions. */
export const COMMON_FLAGS: readonly FlagSpec[] = [
  STATE_DIR,
  AGENT,
  ALL_AGENTS,
  SOURCE,
  CONFIG,
  ...OUTPUT_FLAGS,
];

const STRIP_TOOLS = flag({
  key: 'stripTools',
  name: 'strip-tools',
  value: { kind: 'text', placeholder: 'preset', optional: true },
  help: 'Clean by a preset: default, aggressive, extreme, or one of your own',
});
const KEEP = flag({
  key: 'keep',
  name: 'keep',
  value: { kind: 'count', placeholder: 'n' },
  help: 'Keep the newest n turns with tools; how many of them are shortened is up to the preset (default)',
});
const TRUNCATE = flag({
  key: 'truncate',
  name: 'truncate',
  value: { kind: 'percent', placeholder: 'percent' },
  help: 'Shorten tools in this share of the kept turns, oldest first; how many are kept is up to the preset (default)',
});
const TRUNCATE_OVER = flag({
  key: 'truncateOver',
  name: 'truncate-over',
  value: { kind: 'positive', placeholder: 'characters' },
  help: 'Also shorten calls and output above so many characters (at least 500) in all other turns, but for the last exchange',
});
const DRY_RUN = flag({ key: 'dryRun', name: 'dry-run', help: 'Show what would happen, write nothing' });
const WAIT = flag({
  key: 'wait',
  name: 'wait',
  value: { kind: 'seconds', placeholder: 'seconds', optional: true },
  help: `Wait for a session or database in use to become free, at most so many seconds (${DEFAULT_WAIT_SECONDS})`,
});
const WHEN_IDLE = flag({
  key: 'whenIdle',
  name: 'when-idle',
  help: "Return at once; clean in the background when the run has ended ('occ info' shows the outcome)",
});
const FORCE = flag({
  key: 'force',
  name: 'force',
  help: 'Go ahead although the last turn looks unfinished, or the database is of an unknown version; a live lock is never overridden',
});
const FORCE_CLONE = flag({
  ...FORCE,
  help: 'Clone into a database although it is of an unknown version',
});
const OUTPUT = flag({
  key: 'output',
  name: 'output',
  short: 'o',
  value: { kind: 'path', placeholder: 'file' },
  help: 'Write the clone to this file',
});
const NO_REGISTER = flag({
  key: 'noRegister',
  name: 'no-register',
  help: "Leave the clone out of the session index; in OpenClaw's database needs --output",
});
const LIMIT = flag({
  key: 'limit',
  name: 'limit',
  short: 'n',
  value: { kind: 'positive', placeholder: 'n' },
  help: 'Show only the newest n sessions',
});
const LIST = flag({ key: 'list', name: 'list', help: 'Show the backups, restore nothing' });
const BACKUP = flag({
  key: 'backup',
  name: 'backup',
  value: { kind: 'positive', placeholder: 'n' },
  help: "Restore backup n instead of the newest; '--list' shows the numbers",
});
const ORIGINAL = flag({
  key: 'original',
  name: 'original',
  help: 'Restore the first state, which is kept when its backup is rotated out',
});
const NO_ORIGINAL = flag({
  key: 'noOriginal',
  name: 'no-original',
  help: 'Do not keep the first state when its backup is rotated out',
});

export const CLEANING_FLAGS: readonly FlagSpec[] = [STRIP_TOOLS, KEEP, TRUNCATE, TRUNCATE_OVER];

/** What each command has beside the common flags, in the order in which help shows them. */
export const OWN_FLAGS = {
  edit: [...CLEANING_FLAGS, DRY_RUN, WAIT, WHEN_IDLE, FORCE, NO_ORIGINAL],
  clone: [...CLEANING_FLAGS, DRY_RUN, OUTPUT, NO_REGISTER, FORCE_CLONE],
  list: [LIMIT],
  info: [],
  restore: [LIST, BACKUP, ORIGINAL, WAIT, FORCE, NO_ORIGINAL],
  demo: [],
} as const satisfies Record<string, readonly FlagSpec[]>;

export type CommandName = keyof typeof OWN_FLAGS;
/** What occ starts itself by: such a command is run, and neither shown in help nor suggested. */
const HIDDEN_COMMANDS: readonly CommandName[] = [];
export const ALL_COMMAND_NAMES = Object.keys(OWN_FLAGS) as CommandName[];
/** Those that people know of. */
export const COMMAND_NAMES: readonly CommandName[] = ALL_COMMAND_NAMES.filter(
  (name) => !HIDDEN_COMMANDS.includes(name),
);

/** What a command shares with others: the demo looks for nobody's sessions. */
export function listCommonFlags(command: CommandName): readonly FlagSpec[] {
  return command === 'demo' ? OUTPUT_FLAGS : COMMON_FLAGS;
}

export function listFlags(command: CommandName): readonly FlagSpec[] {
  return [...OWN_FLAGS[command], ...listCommonFlags(command)];
}

/** A flag has the same name, short form and value wherever it stands. */
export const ALL_FLAGS: readonly FlagSpec[] = [
  ...new Set<FlagSpec>([...COMMON_FLAGS, ...Object.values(OWN_FLAGS).flat()]),
];
