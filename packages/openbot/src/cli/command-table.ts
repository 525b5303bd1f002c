import { declareCommands } from '@openbot/sessions/command-line';
import { LIST_FLAGS, MCP_FLAGS, RUN_FLAGS, SEARCH_FLAGS, SELECT_FLAGS } from '../commands/flags.ts';

const TASK = {
  name: 'task',
  required: true,
  whenTooMany: 'put what belongs together between quotation marks',
} as const;

const declare = declareCommands();

/** Every command, in the order of the help. */
export const COMMANDS = [
  declare({
    name: 'cc list',
    summary: 'Lists the Claude Code sessions of a repository',
    positionals: [],
    flags: LIST_FLAGS,
    examples: [
      ['openbot cc list', 'those of this repository'],
      ['openbot cc list --all -n 20 --json', 'the newest of all repositories, for a program'],
    ],
    async results() {
      const { LIST } = await import('../commands/result-shapes.ts');
      return { 'openbot cc list --json': LIST };
    },
    load: async () => (await import('../commands/cc-list.ts')).ccList,
  }),
  declare({
    name: 'cc status',
    summary: 'Shows git, GitHub, docs and sessions at a glance',
    positionals: [],
    flags: SEARCH_FLAGS,
    examples: [['openbot cc status --repo ~/project', 'of another repository']],
    async results() {
      const { STATUS } = await import('../commands/result-shapes.ts');
      return { 'openbot cc status --json': STATUS };
    },
    load: async () => (await import('../commands/cc-status.ts')).ccStatus,
  }),
  declare({
    name: 'cc select',
    summary: 'Tells in which session a task would go on, and why',
    description: ['Nothing is started. A task of - is read from standard input.'],
    positionals: [TASK],
    flags: SELECT_FLAGS,
    examples: [['openbot cc select "fix the login test" --explain', 'with the factors of each']],
    async results() {
      const { SELECT } = await import('../commands/result-shapes.ts');
      return { 'openbot cc select <task> --json': SELECT };
    },
    load: async () => (await import('../commands/cc-select.ts')).ccSelect,
  }),
  declare({
    name: 'cc run',
    summary: 'Runs a task in Claude Code, in the session that fits',
    description: [
      `A task of - is read from standard input. In a terminal it asks before Claude Code does what no rule allows;
elsewhere, and with --json, that is denied.`,
      `It works at the top of the repository, with its CLAUDE.md and its settings, as claude -p does. So a repository can
act unasked: its hooks run commands, its .mcp.json starts programs, and its settings can change the environment, even
where your API key is sent. Use --isolated for one that you do not trust.`,
    ],
    positionals: [TASK],
    flags: RUN_FLAGS,
    examples: [
      ['openbot cc run "fix the login test" --budget 2', 'for at most $2'],
      ['openbot cc run - --label release < task.md', 'the task from a file'],
      ['openbot cc run "go on" --session 3f2a9c81', 'in that session'],
    ],
    async results() {
      const { RUN_EVENT } = await import('../commands/result-shapes.ts');
      return { 'openbot cc run <task> --json': RUN_EVENT };
    },
    load: async () => (await import('../commands/cc-run.ts')).ccRun,
  }),
  declare({
    name: 'mcp',
    summary: 'Serves tools to an MCP client, over stdio',
    description: ['The tools read the project, its sessions, the conversation and notes.'],
    positionals: [],
    flags: MCP_FLAGS,
    examples: [['claude mcp add openbot -- openbot mcp', 'to Claude Code']],
    load: async () => (await import('../commands/mcp.ts')).mcp,
  }),
];
