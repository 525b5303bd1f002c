import { declareFlags } from '@openbot/sessions/command-line';
import { THINKING_LEVELS } from '../config/bot-config.ts';

/** Less would be displayed as zero. */
const LEAST_BUDGET = 0.0001;

const STATE_DIR = declareFlags({
  stateDir: {
    kind: 'path',
    value: 'path',
    example: '~/.openbot',
    help: 'State folder. Default: OPENBOT_STATE_DIR, or ~/.openbot',
  },
});

const REPO = declareFlags({
  repo: {
    kind: 'path',
    value: 'path',
    example: '~/project',
    help: 'The repository. Default: that of the current folder',
  },
});

const JSON_OUTPUT = declareFlags({ json: { kind: 'boolean', help: 'Print JSON' } });

const AGENT = declareFlags({
  agent: {
    kind: 'text',
    value: 'id',
    example: 'main',
    help: 'Agent. Default: CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID or main',
  },
});

/** What a search for sessions reads; not every command has all of them. */
export const SEARCH_FLAGS = declareFlags({ ...REPO, ...STATE_DIR, ...JSON_OUTPUT, ...AGENT });

const BUDGET = declareFlags({
  budget: {
    kind: 'number',
    prefix: '$',
    least: LEAST_BUDGET,
    mustBe: 'an amount in US dollars above 0',
    value: 'usd',
    example: '2.50',
    help: 'Most that the session may cost, all its runs together',
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
  all: { kind: 'boolean', help: 'Show the sessions of all repositories' },
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
  label: { kind: 'text', value: 'name', example: 'release', help: 'Choose the session with this label' },
  explain: { kind: 'boolean', help: 'Show how each session was scored' },
  ...BUDGET,
  ...THRESHOLD,
  model: { kind: 'text', value: 'name', help: 'The model that rates how well sessions fit the task' },
  words: { kind: 'boolean', help: 'Rate sessions by their words; ask no model' },
});

export const RUN_FLAGS = declareFlags({
  ...SEARCH_FLAGS,
  label: {
    kind: 'text',
    value: 'name',
    example: 'release',
    help: 'Continue the session with this label, or start it',
  },
  session: {
    kind: 'text',
    value: 'id',
    example: '<id or title>',
    help: 'Continue this session: its id, the start of its id, or its title',
  },
  fork: { kind: 'boolean', help: 'Continue in a copy of --session or --label, even if that is open' },
  fresh: { kind: 'boolean', help: 'Start a fresh session' },
  ...BUDGET,
  ...THRESHOLD,
  words: { kind: 'boolean', help: 'Rate sessions by their words; ask no model' },
  model: { kind: 'text', value: 'name', help: 'The model that works on the task' },
  allow: { kind: 'list', value: 'rules', help: "Allow without asking: 'Read,Bash(git status:*)'" },
  isolated: { kind: 'boolean', help: 'Ignore CLAUDE.md, settings, hooks and .mcp.json' },
  conversation: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'The conversation that asks; reading it needs no permission',
  },
  noMcp: { kind: 'boolean', help: 'Do not offer the tools of openbot mcp' },
  claude: { kind: 'path', value: 'path', help: 'The program of Claude Code. Default: that of the Agent SDK' },
  json: { kind: 'boolean', help: 'Print each event as one line of JSON' },
});

export const SEND_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });

export const MCP_FLAGS = declareFlags({
  repo: { ...REPO.repo, help: 'The repository. Default: CLAUDE_PROJECT_DIR, or the current folder' },
  ...STATE_DIR,
  ...AGENT,
  workspace: {
    kind: 'path',
    value: 'path',
    example: '~/.openbot/workspace',
    help: "The agent's workspace, the folder of memory/*.md",
  },
  session: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'The only conversation that may be read. Default: any',
  },
});

export const AGENT_FLAGS = declareFlags({
  message: {
    kind: 'text',
    short: 'm',
    value: 'text',
    example: '"hello"',
    help: 'The message; - reads it from standard input',
  },
  messageFile: {
    kind: 'path',
    value: 'path',
    example: './task.md',
    help: 'Read the message from a file, at most 4 MiB of UTF-8',
  },
  agent: {
    ...AGENT.agent,
    help: 'Agent; wins over bindings. Default: CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID, or that of the configuration',
  },
  to: {
    kind: 'text',
    short: 't',
    value: 'id',
    example: '+15550123',
    help: 'Talk in the session that a direct message from there would go to: +15550123, telegram:42',
  },
  sessionId: { kind: 'text', value: 'id', help: 'Talk in the session with this id' },
  sessionKey: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'Talk in the session with this key; a key without an agent belongs to --agent',
  },
  model: {
    kind: 'text',
    value: 'name',
    example: 'provider/model',
    help: 'Model for this run: provider/model, a model, or an alias',
  },
  thinking: {
    kind: 'choice',
    choices: THINKING_LEVELS,
    value: 'level',
    example: 'low',
    help: `How much the model thinks, kept for the session: ${THINKING_LEVELS.join(', ')}`,
  },
  verbose: {
    kind: 'choice',
    choices: ['on', 'off', 'full'],
    value: 'on|off',
    example: 'on',
    help: 'Whether replies of the session mention tool calls; kept for the session',
  },
  timeout: {
    kind: 'seconds',
    least: 1,
    // Timers of Node are not longer.
    most: 2_000_000,
    value: 'seconds',
    example: '600',
    help: 'Abort the run after this time. Default: the configured one, or 600',
  },
  deliver: { kind: 'boolean', help: 'Send the reply to a channel too' },
  channel: {
    kind: 'text',
    value: 'channel',
    example: 'telegram',
    help: 'Channel of --to, and of --deliver. Default for --deliver: last, that of the last message of the session',
  },
  replyTo: { kind: 'text', value: 'id', help: 'With --deliver: who gets the reply' },
  replyChannel: {
    kind: 'text',
    value: 'channel',
    help: 'With --deliver: the channel, where it is not that of --to',
  },
  replyAccount: { kind: 'text', value: 'id', help: 'With --deliver: which of your accounts sends it' },
  local: { kind: 'boolean', help: 'Run the agent in this process, also where a gateway runs' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
