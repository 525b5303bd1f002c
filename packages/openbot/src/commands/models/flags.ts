import { declareFlags } from '@openbot/sessions/command-line';
import { AGENT, JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const MODELS_LIST_FLAGS = declareFlags({
  all: { kind: 'boolean', help: 'Also list models that the configuration does not name' },
  provider: { kind: 'text', value: 'name', example: 'anthropic', help: 'Only models of this provider' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const MODELS_TEST_FLAGS = declareFlags({
  agent: { ...AGENT.agent, help: 'Agent whose model, aliases and settings count' },
  timeout: {
    kind: 'seconds',
    least: 1,
    most: 2_000_000,
    value: 'seconds',
    example: '60',
    help: 'Wait at most this long for the answer. Default: 60',
  },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
