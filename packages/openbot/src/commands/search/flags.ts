import { declareFlags } from '@openbot/sessions/command-line';
import { AGENT, CHANNEL, JSON_OUTPUT, LIMIT, SOURCE, STATE_DIR } from '../flags.ts';

export const SEARCH_FLAGS = declareFlags({
  agent: { ...AGENT.agent, help: 'Only sessions of this agent. Default: all agents' },
  channel: { ...CHANNEL.channel, help: 'Only sessions of this chat network' },
  role: {
    kind: 'choice',
    choices: ['user', 'assistant', 'tool', 'system', 'summary'],
    value: 'who',
    example: 'user',
    help: 'Only what this one said: user, assistant, tool, system or summary',
  },
  since: {
    kind: 'text',
    value: 'time',
    example: '7d',
    help: 'Only messages since then: 7d (of 24 hours each), 12h, 2w, or the beginning of a day, such as 2026-11-01',
  },
  tools: { kind: 'boolean', help: 'Search calls of tools and the beginnings of their results too' },
  limit: { ...LIMIT.limit, most: 1000, help: 'Show at most this many messages; default 10' },
  ...SOURCE,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const INDEX_FLAGS = declareFlags({ ...SOURCE, ...STATE_DIR, ...JSON_OUTPUT });
