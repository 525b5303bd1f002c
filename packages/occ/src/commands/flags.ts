import { declareFlags } from '@openbot/sessions/command-line';
import { BUILT_IN_PRESETS, LEAST_LIMIT } from '../clean/presets.ts';
import { SOURCE_NAMES } from '../storage/contract/found-session.ts';

/** What `--wait` without a value means. */
const DEFAULT_WAIT_SECONDS = 600;

export const SESSION = { name: 'session', complete: 'session' } as const;
export const SESSION_OF_CLEAN = {
  ...SESSION,
  whenTooMany: 'write a preset as --strip-tools=<preset>',
} as const;

/** Every command that prints a report has these. */
export const OUTPUT_FLAGS = declareFlags({
  json: {
    kind: 'boolean',
    negatable: true,
    help: 'Print JSON instead of text; errors are JSON on stderr',
  },
  verbose: { kind: 'boolean', negatable: true, help: 'Show more: turn analysis, full figures' },
});

/** Every command that looks for sessions has these. */
export const COMMON_FLAGS = declareFlags({
  stateDir: { kind: 'path', value: 'dir', help: 'The OpenClaw state folder; selects --source openclaw' },
  agent: { kind: 'text', value: 'id', help: 'The OpenClaw agent (default: main, unless configured)' },
  allAgents: { kind: 'boolean', help: 'Include every OpenClaw agent' },
  source: {
    kind: 'choice',
    choices: [...SOURCE_NAMES, 'all'],
    value: 'openclaw|pi|claude|all',
    help: 'The program whose sessions are meant',
  },
  config: {
    kind: 'path',
    value: 'file',
    help: 'Read the settings from this file only; a .ts or .js file is run',
  },
  ...OUTPUT_FLAGS,
});

export const CLEANING_FLAGS = declareFlags({
  stripTools: {
    kind: 'text',
    value: 'preset',
    bare: true,
    suggest: Object.keys(BUILT_IN_PRESETS),
    help: 'Clean with a preset: default, aggressive, extreme, or one of your own',
  },
  keep: {
    kind: 'number',
    whole: true,
    value: 'n',
    help: 'Keep the tool calls of the newest n turns with tools (otherwise as the preset says)',
  },
  truncate: {
    kind: 'number',
    most: 100,
    value: 'percent',
    help: 'Shorten tool calls in this share of those turns, oldest first (otherwise as the preset says)',
  },
  truncateOver: {
    kind: 'number',
    whole: true,
    least: LEAST_LIMIT,
    value: 'characters',
    help: 'Also shorten calls and output above this size (at least 500) in all other turns, except in the last exchange',
  },
});

const DRY_RUN = declareFlags({
  dryRun: { kind: 'boolean', help: 'Show what would change, write nothing' },
});

const WAIT = declareFlags({
  wait: {
    kind: 'seconds',
    value: 'seconds',
    bare: DEFAULT_WAIT_SECONDS,
    help: `Wait until the session or database is free, for at most this time (default: ${DEFAULT_WAIT_SECONDS})`,
  },
});

export const FORCE = declareFlags({
  force: {
    kind: 'boolean',
    help: 'Continue although the last turn looks unfinished, or the database has an unknown version; the lock of a running process is never overridden',
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
    help: "Return at once, and clean in the background when the run has ended; 'occ info' shows the result",
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
    help: "Do not add the clone to the session index; in OpenClaw's database, this needs --output",
  },
  force: { kind: 'boolean', help: 'Clone into a database although its version is unknown' },
  ...COMMON_FLAGS,
});

export const LIST_FLAGS = declareFlags({
  limit: {
    kind: 'number',
    whole: true,
    least: 1,
    short: 'n',
    value: 'n',
    help: 'Show the newest n sessions (default: 30; all with --json)',
  },
  ...COMMON_FLAGS,
});

export const RESTORE_FLAGS = declareFlags({
  list: { kind: 'boolean', help: 'Show the backups and restore nothing' },
  backup: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'n',
    help: 'Restore backup n instead of the newest; --list shows the numbers',
  },
  original: {
    kind: 'boolean',
    help: 'Restore the first state; it is kept when its backup is rotated out',
  },
  ...WAIT,
  force: {
    kind: 'boolean',
    help: 'Continue although the last turn looks unfinished, the database has an unknown version, or the model would not read all that is restored; the lock of a running process is never overridden',
  },
  ...NO_ORIGINAL,
  ...COMMON_FLAGS,
});
