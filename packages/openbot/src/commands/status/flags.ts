import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const STATUS_FLAGS = declareFlags({
  all: { kind: 'boolean', help: 'Everything: all sessions and dead letters, stores, models' },
  usage: {
    kind: 'boolean',
    help: 'Also the tokens and the cost of each agent, as openbot usage counts them',
  },
  deep: { kind: 'boolean', help: 'Also look into the databases, and ask channels whether they are there' },
  timeout: {
    kind: 'seconds',
    least: 1,
    most: 600,
    value: 'seconds',
    example: '10',
    help: 'With --deep: wait at most this long. Default: 10',
  },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
