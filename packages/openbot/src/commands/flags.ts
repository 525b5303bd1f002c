import { declareFlags } from '@openbot/sessions/command-line';

/** Less would be displayed as zero. */
const LEAST_BUDGET = 0.0001;

const STATE_DIR = declareFlags({
  stateDir: {
    kind: 'path',
    value: 'path',
    example: '~/.openbot',
    help: 'Its state. Default: OPENBOT_STATE_DIR, or ~/.openbot',
  },
});

const REPO = declareFlags({
  repo: {
    kind: 'path',
    value: 'path',
    example: '~/project',
    help: 'The repository; that of the current folder by default',
  },
});

const JSON_OUTPUT = declareFlags({ json: { kind: 'boolean', help: 'Print JSON' } });

const AGENT = declareFlags({
  agent: {
    kind: 'text',
    value: 'id',
    example: 'main',
    help: 'Default: CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID or main',
  },
});

/** What a search for sessions reads; not every command has all of them. */
export const SEARCH_FLAGS = declareFlags({ ...REPO, ...STATE_DIR, ...JSON_OUTPUT, ...AGENT });

const BUDGET = declareFlags({
  budget: {
    kind: 'number',
    prefix: '$',
    least: LEAST_BUDGET,
    mustBe: 'an amount in US dollars',
    value: 'usd',
    example: '2.50',
    help: 'What the session may cost in all its runs',
  },
});

const THRESHOLD = declareFlags({
  threshold: {
    kind: 'number',
    most: 1,
    value: 'number',
    example: '0.7',
    help: 'Resume only above this score, 0 to 1; default 0.6',
  },
});

export const LIST_FLAGS = declareFlags({
  ...REPO,
  ...STATE_DIR,
  ...JSON_OUTPUT,
  all: { kind: 'boolean', help: 'Those of all repositories' },
  limit: {
    kind: 'number',
    whole: true,
    least: 1,
    short: 'n',
    value: 'count',
    example: '20',
    help: 'Show at most this many sessions',
  },
});

export const SELECT_FLAGS = declareFlags({
  ...SEARCH_FLAGS,
  label: { kind: 'text', value: 'name', example: 'release', help: 'The session with that label' },
  explain: { kind: 'boolean', help: 'Show the factors of every session' },
  ...BUDGET,
  ...THRESHOLD,
  model: { kind: 'text', value: 'name', help: 'The model that rates the sessions, not that of cc run' },
  words: { kind: 'boolean', help: 'Compare words only; ask no model' },
});

export const RUN_FLAGS = declareFlags({
  ...SEARCH_FLAGS,
  label: {
    kind: 'text',
    value: 'name',
    example: 'release',
    help: 'The session with that label; a fresh one gets it',
  },
  session: {
    kind: 'text',
    value: 'id',
    example: '<id or title>',
    help: 'The session to go on in: id, its start, or title',
  },
  fork: { kind: 'boolean', help: 'In a copy of --session or --label, even an open one' },
  fresh: { kind: 'boolean', help: 'Begin a fresh session' },
  ...BUDGET,
  ...THRESHOLD,
  words: { kind: 'boolean', help: 'Choose the session by words; ask no model for that' },
  model: { kind: 'text', value: 'name', help: 'The model that works on the task' },
  allow: { kind: 'list', value: 'rules', help: "Runs unasked: 'Read,Bash(git status:*)'" },
  isolated: { kind: 'boolean', help: 'Without CLAUDE.md, settings, hooks and .mcp.json' },
  conversation: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'The conversation that asks; it may be read unasked',
  },
  noMcp: { kind: 'boolean', help: 'Without the tools of openbot mcp' },
  claude: { kind: 'path', value: 'path', help: 'The program; that of the Agent SDK by default' },
  json: { kind: 'boolean', help: 'Print each event as one line of JSON' },
});

export const MCP_FLAGS = declareFlags({
  repo: { ...REPO.repo, help: 'Default: CLAUDE_PROJECT_DIR, or the current folder' },
  ...STATE_DIR,
  ...AGENT,
  workspace: {
    kind: 'path',
    value: 'path',
    example: '~/.openbot/workspace',
    help: "The agent's workspace, where memory/*.md is",
  },
  session: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'The one conversation that may be read; else any',
  },
});
