import { declareFlags } from '@openbot/sessions/command-line';
import { AGENT, JSON_OUTPUT, LOCAL, STATE_DIR } from '../flags.ts';

export const SORTS = ['updated', 'created', 'tokens', 'context', 'cost', 'key'] as const;

const FOLDER = declareFlags({
  ...STATE_DIR,
  stateDir: {
    ...STATE_DIR.stateDir,
    help: 'State folder, of OpenBot or of OpenClaw. Default: OPENBOT_STATE_DIR, or ~/.openbot',
  },
});

/** Which stores are meant. */
export const PLACE_FLAGS = declareFlags({
  agent: {
    ...AGENT.agent,
    help: 'Only this agent. Default: CLAWDBOT_AGENT_ID or OPENCLAW_AGENT_ID, else all agents',
  },
  store: {
    kind: 'path',
    value: 'path',
    example: './sessions.json',
    help: 'This store instead: a sessions.json, or the database of an agent of OpenClaw',
  },
  ...FOLDER,
  ...JSON_OUTPUT,
});

export const SESSIONS_FLAGS = declareFlags({
  active: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'minutes',
    example: '30',
    help: 'Only sessions that were used in the last minutes',
  },
  ...PLACE_FLAGS,
  agent: {
    ...PLACE_FLAGS.agent,
    help: 'Only this agent. Default: CLAWDBOT_AGENT_ID or OPENCLAW_AGENT_ID, else all agents; with --json the default agent',
  },
  allAgents: { kind: 'boolean', help: 'The sessions of all agents, also with --json' },
  sort: {
    kind: 'choice',
    choices: SORTS,
    value: 'by',
    example: 'tokens',
    help: `Sort by ${SORTS.join(', ')}. Default: updated`,
  },
  limit: {
    kind: 'text',
    short: 'n',
    value: 'count',
    example: '25',
    suggest: ['all'],
    help: 'Show at most this many sessions, or all. Default: 100',
  },
});

export const SHOW_FLAGS = PLACE_FLAGS;

const YES = declareFlags({ yes: { kind: 'boolean', help: 'Do not ask; needed without a terminal' } });

export const LABEL_FLAGS = declareFlags({
  clear: { kind: 'boolean', help: 'Remove the label' },
  ...LOCAL,
  ...PLACE_FLAGS,
});

export const CHANGE_FLAGS = declareFlags({ ...YES, ...LOCAL, ...PLACE_FLAGS });

export const PRUNE_FLAGS = declareFlags({
  olderThan: {
    kind: 'text',
    value: 'time',
    example: '30d',
    help: 'Remove sessions that were not used for so long: 30d, 12h. Default: 30d',
  },
  keep: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'count',
    example: '200',
    help: 'Of the others, keep so many of the last used of each agent. Default: 500',
  },
  dryRun: { kind: 'boolean', help: 'Only show what would be removed' },
  ...CHANGE_FLAGS,
});

export const COMPACT_FLAGS = declareFlags({
  keepLines: {
    kind: 'number',
    whole: true,
    least: 1,
    value: 'count',
    example: '400',
    help: 'How many of the last lines stay. Default: 400',
  },
  ...CHANGE_FLAGS,
});

export const RESTORE_FLAGS = declareFlags({
  key: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'The key of the session, where the archive does not say it',
  },
  ...CHANGE_FLAGS,
});
