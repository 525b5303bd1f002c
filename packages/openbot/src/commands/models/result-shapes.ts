/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

export const MODELS_LIST: ResultShape = {
  path: 'string - the configuration',
  models: [
    {
      name: 'string - provider/model',
      provider: 'string',
      model: 'string',
      aliases: ['string'],
      isDefault: 'boolean - the default agent asks it first',
      agents: ['string'],
      fallbackOf: ['string'],
      isKnown: 'boolean - false where no runner has it',
      'contextWindow?': 'number - tokens',
      'cost?': { input: 'number - dollars for a million tokens', output: 'number' },
      'credential?': "'present' | 'missing' | 'unneeded' | 'unknown'",
      'credentialHint?': 'string - where it was found or is set; never its value',
      'takesKey?': 'true - models.providers.<name>.apiKey can be the key',
      'cooldown?': { failure: 'string', until: 'number - ms' },
    },
  ],
};

export const MODELS_TEST: ResultShape = {
  name: 'string - provider/model',
  isAnswered: 'true',
  durationMs: 'number',
  text: 'string',
  'usage?': {
    'input?': 'number',
    'output?': 'number',
    'cacheRead?': 'number',
    'cacheWrite?': 'number',
  },
};
