import { declareFlags } from '@openbot/sessions/command-line';
import { AGENT, JSON_OUTPUT, LIMIT, STATE_DIR } from '../flags.ts';

/** Less would be displayed as zero. */
const LEAST_BUDGET = 0.0001;

export const REPO = declareFlags({
  repo: {
    kind: 'path',
    value: 'path',
    example: '~/project',
    help: 'The repository. Default: that of the current folder',
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
  limit: { ...LIMIT.limit, help: 'Show at most this many sessions' },
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
