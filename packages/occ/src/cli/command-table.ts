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

const NAMING = `Name a session by its id, the beginning of its id, its session key, its label or its path. Without a name it is
the current one: the session of the agent that runs this command, otherwise the most recently active one (with Claude
Code: of this folder). In an agent's shell, name the session if the agent's own is not recognised. In a terminal, you choose
from a list if there are several sessions, or if several match the name.`;

const CLEANING = `Old tool calls and their results are removed. The newest turns with tools keep theirs; in the older part of those
turns, each call and result is shortened to 120 characters or 2 lines. What people and the agent said is not changed.`;

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
      `A session file that is in use is not rewritten: use --wait or --when-idle. If an OpenClaw agent cleans its own session
file, the edit is scheduled for the end of its run. The exchange in progress is never changed.`,
      `Newer Claude models bind their thinking to all that was said before it. In their sessions all thinking behind the first
change goes, and a session of any program, OpenClaw's database included, is edited when its run has ended.`,
      `On older models a session in OpenClaw's database (SQLite) is edited at once, even during its own run: the run continues
with what it has in memory, the next turn reads the cleaned session, and OpenClaw's token counts are corrected when the run
ends. --when-idle has no effect there; --wait waits for other programs that write to the database.`,
      `Give at least one of --strip-tools, --keep, --truncate and --truncate-over. The last three override single values of
the preset that --strip-tools names, or of the default preset without it.`,
      `In OpenClaw's and pi's files without branches every edit also removes results without a call, in the turns that are kept
too, as long as no thinking is lost by that.`,
    ],
    positionals: [SESSION_OF_CLEAN],
    flags: EDIT_FLAGS,
    sections: PRESETS,
    examples: [
      ['occ edit --strip-tools', 'the current session, default preset'],
      ['occ edit abc123 --strip-tools=aggressive', 'a session by the beginning of its id'],
      ['occ edit abc123 --keep 5 --truncate 0', 'keep 5 turns with tools, shorten none'],
      ['occ edit abc123 --truncate-over 2000', 'also shorten large output in the turns that are kept'],
      ['occ edit --strip-tools --dry-run', 'show what would be removed, write nothing'],
      ['occ edit --strip-tools --when-idle', 'clean when the run in progress has ended'],
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
      `The copy has a new id and can be resumed; the original is not changed. Without --strip-tools, --keep, --truncate and
--truncate-over the copy is exact. With --output it is written to that file, as JSONL. The copy is added to the session
index, unless --no-register is given or it is written to another folder.`,
      `A session in OpenClaw's database is cloned into the database. There --no-register needs --output. A database of an
unknown version is changed only with --force; with --output it is only read.`,
      NAMING,
    ],
    positionals: [SESSION_OF_CLEAN],
    flags: CLONE_FLAGS,
    sections: PRESETS,
    examples: [
      ['occ clone abc123', 'an exact copy with a new id'],
      ['occ clone abc123 --strip-tools', 'a cleaned copy'],
      ['occ clone abc123 -o /tmp/copy.jsonl', 'write the copy to this file'],
      ['occ clone …/backups/abc123.backup.1.jsonl', 'make a session from a backup, even if its own is gone'],
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
      `Shows the sessions of OpenClaw, in its database and in files; inside Claude Code, those of Claude Code; if only one
program has sessions, those. Sessions that are not in the index are shown too. Index entries whose file is missing are
marked, and so are sessions in OpenClaw's cold storage, which cannot be cleaned.`,
      `CONTEXT is what the model reads at its next call, and its share of the model's window where that is known. The figure is the
one that the last answer recorded, as in occ info; ~ marks one that is partly estimated. It is empty where the last part of the
transcript does not tell it, such as after a compaction. BEGAN WITH is what the person first said.`,
    ],
    positionals: [],
    flags: LIST_FLAGS,
    examples: [
      ['occ list', 'the sessions of this agent'],
      ['occ list -n 5 --json', 'the newest five, as JSON'],
      ['occ list --source all', 'the sessions of OpenClaw, pi and Claude Code'],
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
      ['occ info abc123 --json', 'a session by the beginning of its id, as JSON'],
    ],
    async results() {
      const { INFO } = await import('../commands/result-shapes.ts');
      return { 'occ info --json': INFO };
    },
    load: async () => (await import('../commands/info.ts')).info,
  }),
  declare({
    name: 'restore',
    summary: 'Restore a backup; what was said since is kept',
    description: [
      `The session becomes what it was before its last edit. Lines that were added since then follow the restored ones. The
state before the restore is backed up too, so a restore can be undone by another one. Backups are files in backups/
beside the sessions, also for a session in OpenClaw's database. The newest five are kept, and the first state of the
session as the original.`,
      `The report says what the model reads afterwards. If the conversation was continued from an earlier entry since the
edit, that part follows the restored lines. If the model would not read all of it, the restore is refused, unless
--force is given.`,
      `On newer Claude models the thinking of what was said since goes: it is bound to what was said before it. There an agent
can restore its own session in the middle of its run only with --force.`,
      NAMING,
    ],
    positionals: [SESSION],
    flags: RESTORE_FLAGS,
    examples: [
      ['occ restore', 'undo the last edit of the current session'],
      ['occ restore abc123 --list', 'show its backups'],
      ['occ restore abc123 --backup 2', 'go back to backup 2'],
      ['occ restore abc123 --original', 'go back to the first state, after its backup was rotated out'],
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
      'It lists generated sessions, describes one, cleans it, restores it and clones it. Your own sessions are not read.',
    ],
    positionals: [],
    flags: OUTPUT_FLAGS,
    examples: [['occ demo', 'run list, info, edit, restore and clone']],
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
