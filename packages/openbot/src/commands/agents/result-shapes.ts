/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const AGENT: ResultShape = {
  id: 'string',
  'name?': 'string',
  isDefault: 'boolean',
  workspace: 'string',
  model: 'string - provider/model',
  fallbacks: ['string'],
  sessionsPath: 'string',
  'sessions?': 'number - absent where the store cannot be read',
  bindings: ['any'],
};

export const AGENTS_LIST: ResultShape = { path: 'string - the configuration', agents: [AGENT] };

export const AGENTS_ADD: ResultShape = {
  path: 'string - the configuration',
  agent: AGENT,
  files: ['string - made in its workspace'],
};

export const AGENTS_REMOVE: ResultShape = {
  path: 'string - the configuration',
  id: 'string',
  settings: 'any - what the configuration said of it',
  bindings: ['any - removed with it'],
  sessionsPath: 'string - they stay there',
  'sessions?': 'number',
  workspace: 'string - it stays there',
  defaultId: 'string - the default agent now',
};
