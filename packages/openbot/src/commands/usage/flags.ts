import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, LIMIT, STATE_DIR } from '../flags.ts';

/** As ccusage names its reports. */
export const REPORTS = ['daily', 'monthly', 'session', 'model', 'channel'] as const;

export const USAGE_FLAGS = declareFlags({
  by: {
    kind: 'choice',
    choices: ['day', 'month', 'session', 'model', 'channel'],
    value: 'what',
    help: 'The same as the word: day, month, session, model or channel',
  },
  since: {
    kind: 'text',
    value: 'date',
    example: '2026-11-01',
    help: 'From this day on, or the last 12h, 7d (of 24 hours each), 2w. A day begins by --timezone',
  },
  until: {
    kind: 'text',
    value: 'date',
    example: '2026-11-30',
    help: 'To this day, included; 7d: the day that was 7 days ago',
  },
  source: {
    kind: 'choice',
    choices: ['openbot', 'claude', 'openclaw', 'pi', 'all'],
    value: 'name',
    help: 'Whose sessions: openbot (the state folder), claude, openclaw, pi or all',
  },
  agent: { kind: 'text', value: 'id', example: 'main', help: 'Count this agent alone' },
  timezone: {
    kind: 'text',
    value: 'zone',
    example: 'Europe/Berlin',
    help: 'Where days begin. Default: the time zone of this machine',
  },
  breakdown: { kind: 'boolean', help: 'Show the models of each row' },
  limit: {
    ...LIMIT.limit,
    example: '10',
    help: 'Show at most this many rows: the newest, or the most expensive',
  },
  prices: {
    kind: 'boolean',
    help: 'Print the built-in table of prices as JSON, and nothing else: a start for a file of your own (usage.prices)',
  },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
