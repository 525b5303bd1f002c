import type { Command } from '../commands/command.ts';

export interface FlagSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** It can be given several times. */
  readonly isList?: true;
  /** What stands for its value in the help. */
  readonly value?: string;
  readonly text: string;
}

export interface CommandSpec {
  /** As a person types it. */
  readonly name: string;
  /** What may follow it. */
  readonly words: string;
  readonly mostWords: number;
  readonly text: string;
  /** Further lines of its help. */
  readonly more?: readonly string[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
  load(): Promise<Command>;
}

const PLACE: Readonly<Record<string, FlagSpec>> = {
  repo: { type: 'string', value: 'path', text: 'The repository; that of the current folder by default' },
  'state-dir': {
    type: 'string',
    value: 'path',
    text: 'Its state. Default: OPENBOT_STATE_DIR, or ~/.openbot',
  },
  json: { type: 'boolean', text: 'Print JSON' },
};

const AGENT: FlagSpec = {
  type: 'string',
  value: 'id',
  text: 'Default: CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID or main',
};

const THRESHOLD: FlagSpec = {
  type: 'string',
  value: 'number',
  text: 'Resume only above this score; 0.6 by default',
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'cc list',
    words: '',
    mostWords: 0,
    text: 'Lists the Claude Code sessions of a repository',
    flags: {
      ...PLACE,
      all: { type: 'boolean', text: 'Those of all repositories' },
      limit: { type: 'string', short: 'n', value: 'count', text: 'At most so many' },
    },
    load: async () => (await import('../commands/cc-list.ts')).ccList,
  },
  {
    name: 'cc status',
    words: '',
    mostWords: 0,
    text: 'Shows git, GitHub, docs and sessions at a glance',
    flags: { ...PLACE, agent: AGENT },
    load: async () => (await import('../commands/cc-status.ts')).ccStatus,
  },
  {
    name: 'cc select',
    words: '<task>',
    mostWords: 1,
    text: 'Tells in which session a task would go on, and why',
    more: ['Nothing is started. A task of - is read from standard input.'],
    flags: {
      ...PLACE,
      agent: AGENT,
      label: { type: 'string', value: 'name', text: 'The session with that label' },
      explain: { type: 'boolean', text: 'Show the factors of every session' },
      budget: { type: 'string', value: 'usd', text: 'What the session may cost in all its runs' },
      threshold: THRESHOLD,
      model: { type: 'string', value: 'name', text: 'The model that rates the sessions, not that of cc run' },
      words: { type: 'boolean', text: 'Compare words only; ask no model' },
    },
    load: async () => (await import('../commands/cc-select.ts')).ccSelect,
  },
  {
    name: 'cc run',
    words: '<task>',
    mostWords: 1,
    text: 'Runs a task in Claude Code, in the session that fits',
    more: [
      'A task of - is read from standard input. In a terminal it asks before Claude',
      'Code does what no rule allows; elsewhere, and with --json, that is denied.',
      '',
      'It works at the top of the repository, with its CLAUDE.md and its settings, as',
      'claude -p does. So a repository can act unasked: its hooks run commands, its',
      '.mcp.json starts programs, and its settings can change the environment, even',
      'where your API key is sent. Use --isolated for one that you do not trust.',
    ],
    flags: {
      ...PLACE,
      agent: AGENT,
      label: { type: 'string', value: 'name', text: 'The session with that label; a fresh one gets it' },
      session: { type: 'string', value: 'id', text: 'The session to go on in: id, its start, or title' },
      fork: { type: 'boolean', text: 'In a copy of --session or --label, even an open one' },
      fresh: { type: 'boolean', text: 'Begin a fresh session' },
      budget: { type: 'string', value: 'usd', text: 'What the session may cost in all its runs' },
      threshold: THRESHOLD,
      words: { type: 'boolean', text: 'Choose the session by words; ask no model for that' },
      model: { type: 'string', value: 'name', text: 'The model that works on the task' },
      allow: {
        type: 'string',
        isList: true,
        value: 'rules',
        text: "Runs unasked: 'Read,Bash(git status:*)'",
      },
      isolated: { type: 'boolean', text: 'Without CLAUDE.md, settings, hooks and .mcp.json' },
      conversation: {
        type: 'string',
        value: 'key',
        text: 'The conversation that asks; it may be read unasked',
      },
      'no-mcp': { type: 'boolean', text: 'Without the tools of openbot mcp' },
      claude: { type: 'string', value: 'path', text: 'The program; that of the Agent SDK by default' },
      json: { type: 'boolean', text: 'Print each event as one line of JSON' },
    },
    load: async () => (await import('../commands/cc-run.ts')).ccRun,
  },
  {
    name: 'mcp',
    words: '',
    mostWords: 0,
    text: 'Serves tools to an MCP client, over stdio',
    more: ['The tools tell of the project, its sessions, the conversation and notes.'],
    flags: {
      repo: { type: 'string', value: 'path', text: 'Default: CLAUDE_PROJECT_DIR, or the current folder' },
      'state-dir': PLACE['state-dir']!,
      agent: AGENT,
      workspace: { type: 'string', value: 'path', text: "The agent's workspace, where memory/*.md is" },
      session: { type: 'string', value: 'key', text: 'The one conversation that may be read; else any' },
    },
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
];
