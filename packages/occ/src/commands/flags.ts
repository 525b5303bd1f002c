import { declareFlags } from '@openbot/sessions/command-line';
import { BUILT_IN_PRESETS } from '../clean/presets.ts';
import { SOURCE_NAMES } from '../storage/contract/found-session.ts';

/** What `--wait` without a value means. */
const DEFAULT_WAIT_SECONDS = 600;

export const SESSION = { name: 'session' } as const;
export const SESSION_OF_CLEAN = {
  ...SESSION,
  whenTooMany: 'a preset is given as --strip-tools=<preset>',
} as const;

/** Every command has these. */
export const OUTPUT_FLAGS = declareFlags({
  json: {
    kind: 'boolean',
    negatable: true,
    help: 'Print one JSON value instead of text; errors too, on stderr',
  },
  verbose: { kind: 'boolean', negatable: true, help: 'Say more: turn analysis, full figures' },
});

/** Every command that looks for sessions has these. */
export const COMMON_FLAGS = declareFlags({
  stateDir: { kind: 'path', value: 'dir', help: 'The OpenClaw state folder; means --source openclaw' },
  agent: { kind: 'text', value: 'id', help: 'The OpenClaw agent (main when nothing says otherwise)' },
  allAgents: { kind: 'boolean', help: 'Look at every OpenClaw agent' },
  source: {
    kind: 'choice',
    choices: [...SOURCE_NAMES, 'all'],
    value: 'openclaw|pi|claude|all',
    help: 'Whose sessions to look at',
  },
  config: {
    kind: 'path',
    value: 'file',
    help: 'Take the settings from this file and no other; a .ts or .js file is run',
  },
  ...OUTPUT_FLAGS,
});

export const CLEANING_FLAGS = declareFlags({
  stripTools: {
    kind: 'text',
    value: 'preset',
    bare: true,
    suggest: Object.keys(BUILT_IN_PRESETS),
    help: 'Clean by a preset: default, aggressive, extreme, or one of your own',
  },
  keep: {
    kind: 'number',
    whole: true,
    value: 'n',
    help: 'Keep the newest n turns with tools; how many of them are shortened is up to the preset (default)',
  },
  truncate: {
    kind: 'number',
    most: 100,
    value: 'percent',
    help: 'Shorten tools in this share of the kept turns, oldest first; how many are kept is up to the preset (default)',
  },
  truncateOver: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'characters',
    help: 'Also shorten calls and output above so many characters (at least 500) in all other turns, but for the last exchange',
  },
});

const DRY_RUN = declareFlags({
  dryRun: { kind: 'boolean', help: 'Show what would happen, write nothing' },
});

const WAIT = declareFlags({
  wait: {
    kind: 'seconds',
    value: 'seconds',
    bare: DEFAULT_WAIT_SECONDS,
    help: `Wait for a session or database in use to become free, at most so many seconds (${DEFAULT_WAIT_SECONDS})`,
  },
});

export const FORCE = declareFlags({
  force: {
    kind: 'boolean',
    help: 'Go ahead although the last turn looks unfinished, or the database is of an unknown version; a live lock is never overridden',
  },
});

export const NO_ORIGINAL = declareFlags({
  noOriginal: { kind: 'boolean', help: 'Do not keep the first state when its backup is rotated out' },
});

export const EDIT_FLAGS = declareFlags({
  ...CLEANING_FLAGS,
  ...DRY_RUN,
  ...WAIT,
  whenIdle: {
    kind: 'boolean',
    help: "Return at once; clean in the background when the run has ended ('occ info' shows the outcome)",
  },
  ...FORCE,
  ...NO_ORIGINAL,
  ...COMMON_FLAGS,
});

export const CLONE_FLAGS = declareFlags({
  ...CLEANING_FLAGS,
  ...DRY_RUN,
  output: { kind: 'path', short: 'o', value: 'file', help: 'Write the clone to this file' },
  noRegister: {
    kind: 'boolean',
    help: "Leave the clone out of the session index; in OpenClaw's database needs --output",
  },
  force: { kind: 'boolean', help: 'Clone into a database although it is of an unknown version' },
  ...COMMON_FLAGS,
});

export const LIST_FLAGS = declareFlags({
  limit: {
    kind: 'number',
    whole: true,
    least: 1,
    short: 'n',
    value: 'n',
    help: 'Show only the newest n sessions',
  },
  ...COMMON_FLAGS,
});

export const RESTORE_FLAGS = declareFlags({
  list: { kind: 'boolean', help: 'Show the backups, restore nothing' },
  backup: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'n',
    help: "Restore backup n instead of the newest; '--list' shows the numbers",
  },
  original: {
    kind: 'boolean',
    help: 'Restore the first state, which is kept when its backup is rotated out',
  },
  ...WAIT,
  ...FORCE,
  ...NO_ORIGINAL,
  ...COMMON_FLAGS,
});
