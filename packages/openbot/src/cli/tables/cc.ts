import { declareCommands } from '@openbot/sessions/command-line';
import { LIST_FLAGS, RUN_FLAGS, SEARCH_FLAGS, SELECT_FLAGS, SEND_FLAGS } from '../../commands/cc/flags.ts';

const TASK = {
  name: 'task',
  required: true,
  whenTooMany: 'put the task in quotation marks',
} as const;

const declare = declareCommands();

export const CC_COMMANDS = [
  declare({
    name: 'cc list',
    summary: 'List the Claude Code sessions of a repository',
    positionals: [],
    flags: LIST_FLAGS,
    examples: [
      ['openbot cc list', 'the sessions of this repository'],
      ['openbot cc list --all -n 20 --json', 'the newest 20 of all repositories, as JSON'],
    ],
    async results() {
      const { LIST } = await import('../../commands/cc/result-shapes.ts');
      return { 'openbot cc list --json': LIST };
    },
    load: async () => (await import('../../commands/cc/cc-list.ts')).ccList,
  }),
  declare({
    name: 'cc status',
    summary: 'Show git, GitHub, docs and sessions of a repository',
    positionals: [],
    flags: SEARCH_FLAGS,
    examples: [['openbot cc status --repo ~/project', 'the status of another repository']],
    async results() {
      const { STATUS } = await import('../../commands/cc/result-shapes.ts');
      return { 'openbot cc status --json': STATUS };
    },
    load: async () => (await import('../../commands/cc/cc-status.ts')).ccStatus,
  }),
  declare({
    name: 'cc select',
    summary: 'Show which session a task would continue, and why',
    description: ['Nothing is started. If the task is -, it is read from standard input.'],
    positionals: [TASK],
    flags: SELECT_FLAGS,
    examples: [['openbot cc select "fix the login test" --explain', 'with the score of each session']],
    async results() {
      const { SELECT } = await import('../../commands/cc/result-shapes.ts');
      return { 'openbot cc select <task> --json': SELECT };
    },
    load: async () => (await import('../../commands/cc/cc-select.ts')).ccSelect,
  }),
  declare({
    name: 'cc run',
    summary: 'Run a task in Claude Code, in the session that fits',
    description: [
      `If the task is -, it is read from standard input. What no rule allows is asked for in a terminal; without a
terminal, and with --json, it is denied.`,
      `Claude Code works in the top folder of the repository, with its CLAUDE.md and settings, as claude -p does. So a
repository can act without asking: its hooks run commands, its .mcp.json starts programs, and its settings can change
the environment, even the address that your API key is sent to. Use --isolated for a repository that you do not trust.`,
    ],
    positionals: [TASK],
    flags: RUN_FLAGS,
    examples: [
      ['openbot cc run "fix the login test" --budget 2', 'spend at most $2'],
      ['openbot cc run - --label release < task.md', 'read the task from a file'],
      ['openbot cc run "go on" --session 3f2a9c81', 'continue that session'],
    ],
    async results() {
      const { RUN_EVENT } = await import('../../commands/cc/result-shapes.ts');
      return { 'openbot cc run <task> --json': RUN_EVENT };
    },
    load: async () => (await import('../../commands/cc/cc-run.ts')).ccRun,
  }),
  declare({
    name: 'cc send',
    summary: 'Tell a coding run of a conversation something more',
    description: [
      `The run belongs to an agent that another process runs; the agent named its id when it was started. The text is
kept until that process takes it. If the text is -, it is read from standard input.`,
    ],
    positionals: [
      { name: 'id', required: true },
      { name: 'text', required: true, whenTooMany: 'put the text in quotation marks' },
    ],
    flags: SEND_FLAGS,
    examples: [['openbot cc send 3f2a9c81 "also fix the docs"', 'a follow-up for that run']],
    async results() {
      const { SEND } = await import('../../commands/cc/result-shapes.ts');
      return { 'openbot cc send <id> <text> --json': SEND };
    },
    load: async () => (await import('../../commands/cc/cc-send.ts')).ccSend,
  }),
];
