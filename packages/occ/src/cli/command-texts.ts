import type { CommandName } from './flag-table.ts';

export interface CommandText {
  /** One line, in the list of commands. */
  readonly summary: string;
  /** Paragraphs. */
  readonly about: readonly string[];
  /** A command line, and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
}

const NAMING = `A session is named by its id, the beginning of its id, its session key, its label or its path. Without a name
it is the current one: the session of the agent that runs this command, else the most recently active (of Claude
Code's, that of this folder). In an agent's shell it must be named where the agent's own is not recognised.`;

const CLEANING = `Old tool calls go, together with their results: the newest turns with tools stay, the older part of those is
shortened to 120 characters or 2 lines each, and the tool calls of all earlier turns are removed. What people and
the agent said stays as it is.`;

export const COMMAND_TEXTS: Readonly<Record<CommandName, CommandText>> = {
  edit: {
    summary: 'Clean a session in place; a backup is made first',
    about: [
      CLEANING,
      NAMING,
      `A session file in use is not rewritten: say --wait or --when-idle. An agent that cleans itself on OpenClaw files has
the edit scheduled until its run ends. What there is to clean is decided then: the exchange in progress is never touched.`,
      `In OpenClaw's database (SQLite) a session is edited at once, also during its own run: the run goes on with what it
has in memory, the next turn sees the cleaned session, and OpenClaw's token counts are corrected when the run ends.
--when-idle changes nothing there; --wait waits for others who write to the database.`,
      `One of --strip-tools, --keep, --truncate and --truncate-over is needed. The last three win over the values of the
preset; what they leave open is as the preset says that --strip-tools names, else the default preset.`,
    ],
    examples: [
      ['occ edit --strip-tools', 'the current session, default preset'],
      ['occ edit abc123 --strip-tools=aggressive', 'a session by the beginning of its id'],
      ['occ edit abc123 --keep 5 --truncate 0', 'keep 5 turns with tools, shorten none'],
      ['occ edit abc123 --truncate-over 2000', 'few turns with large output: shorten it in them too'],
      ['occ edit --strip-tools --dry-run', 'show what would go, write nothing'],
      ['occ edit --strip-tools --when-idle', 'after the run in progress'],
    ],
  },
  clone: {
    summary: 'Copy a session to a new id, cleaned or as it is',
    about: [
      `The copy has an id of its own and can be resumed; the original is not touched. Without --strip-tools, --keep and
--truncate the copy is exact. With --output it stands where you say, as JSONL. The index names it unless
--no-register is given, but only files of its own folder: a clone elsewhere is in no index.`,
      `A session in OpenClaw's database is cloned into the database, where it needs its entry: --no-register needs --output
there. A database of an unknown version is changed only with --force; with --output it is only read.`,
      NAMING,
    ],
    examples: [
      ['occ clone abc123', 'an exact copy with a new id'],
      ['occ clone abc123 --strip-tools', 'a cleaned copy'],
      ['occ clone abc123 -o /tmp/copy.jsonl', 'to a file of your choice'],
      ['occ clone …/backups/abc123.backup.1.jsonl', 'a session made of a backup, also where its own is gone'],
    ],
  },
  list: {
    summary: 'Show the sessions, newest first',
    about: [
      `Sessions of OpenClaw, in its database and in files, or of Claude Code where this runs inside it, or of the only program
that has any. Sessions that the index does not know are shown too; index entries whose file is gone are marked, and so
are sessions in OpenClaw's cold storage, which cannot be worked on.`,
    ],
    examples: [
      ['occ list', 'the sessions of this agent'],
      ['occ list -n 5 --json', 'the newest five, for a program'],
      ['occ list --source all', 'of OpenClaw, pi and Claude Code'],
    ],
  },
  info: {
    summary: 'Show where the context goes and what each preset would save',
    about: ['Nothing is written.', NAMING],
    examples: [
      ['occ info', 'the current session'],
      ['occ info abc123 --json', 'a session by the beginning of its id, for a program'],
    ],
  },
  restore: {
    summary: 'Put a backup back; what was said since stays',
    about: [
      `The session becomes what it was before its last edit. Lines that were added since then follow the restored ones. The
state before the restore is kept as a backup too, so a restore can be undone by another. Backups are files in
backups/ beside the sessions, also of a session in OpenClaw's database. Five are kept, and
the first state of all as the original.`,
      `The report says what the model reads then. Where the conversation was taken on from an earlier entry since the edit,
it goes on behind the restored lines; where the model would miss a part, the restore is refused, unless --force is given.`,
      NAMING,
    ],
    examples: [
      ['occ restore', 'undo the last edit of the current session'],
      ['occ restore abc123 --list', 'show its backups'],
      ['occ restore abc123 --backup 2', 'go back to backup 2'],
      ['occ restore abc123 --original', 'go back to the first state, when its backup has been rotated out'],
    ],
  },
  demo: {
    summary: 'Show the whole flow on a generated session in a temp folder',
    about: [
      'It lists sessions, looks into one, cleans it, restores it and clones it. Your own sessions are not touched.',
    ],
    examples: [['occ demo', 'list, info, edit, restore and clone, with output']],
  },
};

export const ABOUT = `occ cleans the session of an agent whose context fills up: old tool calls and their results are shortened or
removed, what people and the agent said stays. It works on the sessions of OpenClaw (SQLite and files), pi and Claude
Code.`;

export const ROOT_EXAMPLES: CommandText['examples'] = [
  ['occ info', 'where does the context go?'],
  ['occ edit --strip-tools', 'clean the current session'],
  ['occ restore', 'undo that'],
];
