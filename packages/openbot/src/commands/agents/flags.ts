import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const AGENTS_LIST_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });

export const AGENTS_ADD_FLAGS = declareFlags({
  name: { kind: 'text', value: 'name', example: 'Ada', help: 'The name of the agent' },
  workspace: {
    kind: 'path',
    value: 'path',
    example: '~/agent',
    help: 'The folder of the agent. Default: workspace-<id> in the state folder',
  },
  model: {
    kind: 'text',
    value: 'name',
    example: 'provider/model',
    help: 'Its model: provider/model, or an alias. Default: that of agents.defaults',
  },
  default: { kind: 'boolean', help: 'It answers where no agent is named' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const AGENTS_REMOVE_FLAGS = declareFlags({
  newDefault: {
    kind: 'text',
    value: 'id',
    example: 'main',
    help: 'The agent that answers where none is named, if that was the removed one',
  },
  yes: { kind: 'boolean', help: 'Do not ask' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
