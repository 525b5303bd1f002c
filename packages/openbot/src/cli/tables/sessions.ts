import { declareCommands } from '@openbot/sessions/command-line';
import {
  CHANGE_FLAGS,
  COMPACT_FLAGS,
  LABEL_FLAGS,
  PRUNE_FLAGS,
  RESTORE_FLAGS,
  SESSIONS_FLAGS,
  SHOW_FLAGS,
} from '../../commands/sessions/flags.ts';

const SESSION = { name: 'session', required: true, complete: 'session' } as const;
const NAMED = 'A session is named by its key, its id, the beginning of its id, or its label.';

const declare = declareCommands();

export const SESSIONS_COMMANDS = [
  declare({
    name: 'sessions',
    summary: 'List the sessions of agents',
    description: [
      `The state folder may be one of OpenBot or one of OpenClaw, whose sessions are in files or in databases. Nothing in it
is changed. With --json the list is that of openclaw sessions --json.`,
    ],
    positionals: [],
    flags: SESSIONS_FLAGS,
    examples: [
      ['openbot sessions', 'the sessions of all agents, the last used first'],
      ['openbot sessions --active 120 --sort context', 'those of the last two hours, the fullest first'],
      ['openbot sessions --state-dir ~/.openclaw --json', "OpenClaw's sessions, as JSON"],
    ],
    async results() {
      const { LIST } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions --json': LIST };
    },
    load: async () => (await import('../../commands/sessions/sessions.ts')).sessions,
  }),
  declare({
    name: 'sessions show',
    summary: 'Show what is known of a session',
    description: [NAMED],
    positionals: [SESSION],
    flags: SHOW_FLAGS,
    examples: [['openbot sessions show main', 'the main session']],
    async results() {
      const { SHOW } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions show <session> --json': SHOW };
    },
    load: async () => (await import('../../commands/sessions/sessions-show.ts')).sessionsShow,
  }),
  declare({
    name: 'sessions label',
    summary: 'Give a session a name',
    description: [NAMED],
    positionals: [SESSION, { name: 'label', whenTooMany: 'put the label in quotation marks' }],
    flags: LABEL_FLAGS,
    examples: [
      ['openbot sessions label main "day to day"', 'a name for the main session'],
      ['openbot sessions label "day to day" --clear', 'remove it'],
    ],
    async results() {
      const { LABEL } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions label <session> <label> --json': LABEL };
    },
    load: async () => (await import('../../commands/sessions/sessions-label.ts')).sessionsLabel,
  }),
  declare({
    name: 'sessions reset',
    summary: 'Begin a session anew, and archive its transcript',
    description: [
      `The key gets a new session id. What was set for the session stays: its label, model and levels. ${NAMED}`,
    ],
    positionals: [SESSION],
    flags: CHANGE_FLAGS,
    examples: [['openbot sessions reset main', 'begin the main session anew']],
    async results() {
      const { RESET } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions reset <session> --json': RESET };
    },
    load: async () => (await import('../../commands/sessions/sessions-reset.ts')).sessionsReset,
  }),
  declare({
    name: 'sessions delete',
    summary: 'Remove a session, and archive its transcript',
    description: [NAMED],
    positionals: [SESSION],
    flags: CHANGE_FLAGS,
    examples: [['openbot sessions delete 3f2a9c81 --yes', 'without a question']],
    async results() {
      const { DELETE } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions delete <session> --json': DELETE };
    },
    load: async () => (await import('../../commands/sessions/sessions-delete.ts')).sessionsDelete,
  }),
  declare({
    name: 'sessions prune',
    summary: 'Remove old sessions, and archive their transcripts',
    description: ['Main sessions stay, and so do those that are in use.'],
    positionals: [],
    flags: PRUNE_FLAGS,
    examples: [
      ['openbot sessions prune --older-than 90d --dry-run', 'what was not used for three months'],
      ['openbot sessions prune --keep 100', 'and all but the last 100'],
    ],
    async results() {
      const { PRUNE } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions prune --json': PRUNE };
    },
    load: async () => (await import('../../commands/sessions/sessions-prune.ts')).sessionsPrune,
  }),
  declare({
    name: 'sessions compact',
    summary: 'Cut a transcript to its last lines, and archive the whole one',
    description: [`Calls stay with their results, and the newest summary stays. ${NAMED}`],
    positionals: [SESSION],
    flags: COMPACT_FLAGS,
    examples: [['openbot sessions compact main --keep-lines 200', 'keep the last 200 lines']],
    async results() {
      const { COMPACT } = await import('../../commands/sessions/result-shapes.ts');
      return { 'openbot sessions compact <session> --json': COMPACT };
    },
    load: async () => (await import('../../commands/sessions/sessions-compact.ts')).sessionsCompact,
  }),
  declare({
    name: 'sessions restore',
    summary: 'Put an archived transcript back',
    description: [
      `The archive is named by its path, or by the session id: then the newest one counts. What the key of the session
points to meanwhile is archived first. Without a name it lists what can be put back. A compacted transcript is whole again, with what was said since.`,
    ],
    positionals: [{ name: 'archive' }],
    flags: RESTORE_FLAGS,
    examples: [
      ['openbot sessions restore', 'what can be put back'],
      ['openbot sessions restore 3f2a9c81', 'undo the last reset, delete or compact of that session'],
    ],
    async results() {
      const { RESTORE, RESTORE_LIST } = await import('../../commands/sessions/result-shapes.ts');
      return {
        'openbot sessions restore <archive> --json': RESTORE,
        'openbot sessions restore --json': RESTORE_LIST,
      };
    },
    load: async () => (await import('../../commands/sessions/sessions-restore.ts')).sessionsRestore,
  }),
];
