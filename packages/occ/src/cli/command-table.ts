import { declareCommands, type HelpRow } from '@openbot/sessions/command-line';
import { BUILT_IN_PRESETS } from '../clean/presets.ts';
import type { OccContext } from '../commands/command.ts';
import {
  CLONE_FLAGS,
  COMMON_FLAGS,
  EDIT_FLAGS,
  LIST_FLAGS,
  OUTPUT_FLAGS,
  RESTORE_FLAGS,
  SESSION,
  SESSION_OF_CLEAN,
} from '../commands/flags.ts';

const NAMING = `A session is named by its id, the beginning of its id, its session key, its label or its path. Without a name
it is the current one: the session of the agent that runs this command, else the most recently active (of Claude
Code's, that of this folder). In an agent's shell it must be named where the agent's own is not recognised.`;

const CLEANING = `Old tool calls go, together with their results: the newest turns with tools stay, the older part of those is
shortened to 120 characters or 2 lines each, and the tool calls of all earlier turns are removed. What people and
the agent said stays as it is.`;

export const PRESET_ROWS: readonly HelpRow[] = Object.values(BUILT_IN_PRESETS).map(
  ({ name, keepTurnsWithTools, truncatePercent }) => [
    name,
    keepTurnsWithTools === 0
      ? 'Remove all tool calls'
      : `Keep the newest ${keepTurnsWithTools} turns with tools, shorten the older ${truncatePercent}% of them`,
  ],
);

const PRESETS = [{ title: 'Presets:', rows: PRESET_ROWS }];

const declare = declareCommands<OccContext>();

/** Every command, in the order of the help. */
export const COMMANDS = [
  declare({
    name: 'edit',
    summary: 'Clean a session in place; a backup is made first',
    description: [
      CLEANING,
      NAMING,
      `A session file in use is not rewritten: say --wait or --when-idle. An agent that cleans itself on OpenClaw files has
the edit scheduled until its run ends. It is planned then: the exchange in progress is never touched.`,
      `In OpenClaw's database (SQLite) a session is edited at once, also during its own run: the run goes on with what it
has in memory, the next turn sees the cleaned session, and OpenClaw's token counts are corrected when the run ends.
--when-idle changes nothing there; --wait waits for others who write to the database.`,
      `Give at least one of --strip-tools, --keep, --truncate and --truncate-over. The last three override single values of
the preset that --strip-tools names, or of the default preset without it.`,
    ],
    positionals: [SESSION_OF_CLEAN],
    flags: EDIT_FLAGS,
    sections: PRESETS,
    examples: [
      ['occ edit --strip-tools', 'the current session, default preset'],
      ['occ edit abc123 --strip-tools=aggressive', 'a session by the beginning of its id'],
      ['occ edit abc123 --keep 5 --truncate 0', 'keep 5 turns with tools, shorten none'],
      ['occ edit abc123 --truncate-over 2000', 'few turns with large output: shorten it in them too'],
      ['occ edit --strip-tools --dry-run', 'show what would go, write nothing'],
      ['occ edit --strip-tools --when-idle', 'after the run in progress'],
    ],
    async results() {
      const { EDIT } = await import('../commands/result-shapes.ts');
      return { 'occ edit --json': EDIT };
    },
    load: async () => (await import('../commands/edit.ts')).edit,
  }),
  declare({
    name: 'clone',
    summary: 'Copy a session to a new id, cleaned or as it is',
    description: [
      `The copy has an id of its own and can be resumed; the original is not touched. Without --strip-tools, --keep and
--truncate the copy is exact. With --output it is written to that file, as JSONL. The index names it unless
--no-register is given, but only files of its own folder: a clone elsewhere is in no index.`,
      `A session in OpenClaw's database is cloned into the database, where it needs its entry: --no-register needs --output
there. A database of an unknown version is changed only with --force; with --output it is only read.`,
      NAMING,
    ],
    positionals: [SESSION_OF_CLEAN],
    flags: CLONE_FLAGS,
    sections: PRESETS,
    examples: [
      ['occ clone abc123', 'an exact copy with a new id'],
      ['occ clone abc123 --strip-tools', 'a cleaned copy'],
      ['occ clone abc123 -o /tmp/copy.jsonl', 'to a file of your choice'],
      ['occ clone …/backups/abc123.backup.1.jsonl', 'a session made of a backup, also where its own is gone'],
    ],
    async results() {
      const { CLONE } = await import('../commands/result-shapes.ts');
      return { 'occ clone --json': CLONE };
    },
    load: async () => (await import('../commands/clone.ts')).clone,
  }),
  declare({
    name: 'list',
    summary: 'Show the sessions, newest first',
    description: [
      `Sessions of OpenClaw, in its database and in files, or of Claude Code where this runs inside it, or of the only program
that has any. Sessions that the index does not know are shown too; index entries whose file is gone are marked, and so
are sessions in OpenClaw's cold storage, which cannot be worked on.`,
    ],
    positionals: [],
    flags: LIST_FLAGS,
    examples: [
      ['occ list', 'the sessions of this agent'],
      ['occ list -n 5 --json', 'the newest five, for a program'],
      ['occ list --source all', 'of OpenClaw, pi and Claude Code'],
    ],
    async results() {
      const { LIST } = await import('../commands/result-shapes.ts');
      return { 'occ list --json': LIST };
    },
    load: async () => (await import('../commands/list.ts')).list,
  }),
  declare({
    name: 'info',
    summary: 'Show where the context goes and what each preset would save',
    description: ['Nothing is written.', NAMING],
    positionals: [SESSION],
    flags: COMMON_FLAGS,
    examples: [
      ['occ info', 'the current session'],
      ['occ info abc123 --json', 'a session by the beginning of its id, for a program'],
    ],
    async results() {
      const { INFO } = await import('../commands/result-shapes.ts');
      return { 'occ info --json': INFO };
    },
    load: async () => (await import('../commands/info.ts')).info,
  }),
  declare({
    name: 'restore',
    summary: 'Put a backup back; what was said since stays',
    description: [
      `The session becomes what it was before its last edit. Lines that were added since then follow the restored ones. The
state before the restore is kept as a backup too, so a restore can be undone by another. Backups are files in
backups/ beside the sessions, also of a session in OpenClaw's database. Five are kept, and
the first state of all as the original.`,
      `The report says what the model reads then. Where the conversation was taken on from an earlier entry since the edit,
it goes on behind the restored lines; where the model would miss a part, the restore is refused, unless --force is given.`,
      NAMING,
    ],
    positionals: [SESSION],
    flags: RESTORE_FLAGS,
    examples: [
      ['occ restore', 'undo the last edit of the current session'],
      ['occ restore abc123 --list', 'show its backups'],
      ['occ restore abc123 --backup 2', 'go back to backup 2'],
      ['occ restore abc123 --original', 'go back to the first state, when its backup has been rotated out'],
    ],
    async results() {
      const { BACKUPS, RESTORE } = await import('../commands/result-shapes.ts');
      return { 'occ restore --json': RESTORE, 'occ restore --list --json': BACKUPS };
    },
    load: async () => (await import('../commands/restore.ts')).restore,
  }),
  declare({
    name: 'demo',
    summary: 'Show the whole flow on a generated session in a temp folder',
    description: [
      'It lists sessions, looks into one, cleans it, restores it and clones it. Your own sessions are not touched.',
    ],
    positionals: [],
    flags: OUTPUT_FLAGS,
    examples: [['occ demo', 'list, info, edit, restore and clone, with output']],
    async results() {
      const { DEMO } = await import('../commands/result-shapes.ts');
      return { 'occ demo --json': DEMO };
    },
    load: async () => (await import('../commands/demo.ts')).demo,
  }),
  declare({
    name: 'scheduled',
    hidden: true,
    summary: 'Make a scheduled edit in the background; started by occ itself',
    positionals: [{ name: 'path' }, { name: 'id' }],
    flags: COMMON_FLAGS,
    examples: [],
    load: async () => (await import('../commands/scheduled.ts')).scheduled,
  }),
];
