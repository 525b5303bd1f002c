import { declareCommands } from '@openbot/sessions/command-line';
import { MODELS_LIST_FLAGS, MODELS_TEST_FLAGS } from '../../commands/models/flags.ts';

const declare = declareCommands();

export const MODELS_COMMANDS = [
  declare({
    name: 'models list',
    summary: 'List models, with window, price, and whether there is a key',
    description: [
      'Those that the configuration names. Of a key only its presence is shown. A model that failed a short time ago is cooling down: its fallbacks are asked first.',
    ],
    positionals: [],
    flags: MODELS_LIST_FLAGS,
    examples: [
      ['openbot models list', 'the models of the configuration'],
      ['openbot models list --all --provider groq', 'all models of a provider'],
    ],
    async results() {
      const { MODELS_LIST } = await import('../../commands/models/result-shapes.ts');
      return { 'openbot models list --json': MODELS_LIST };
    },
    load: async () => (await import('../../commands/models/models-list.ts')).modelsList,
  }),
  declare({
    name: 'models test',
    summary: 'Send one small request to a model',
    description: [
      'The model is provider/model, an alias or a model; without it that of the agent. Nothing of the request is kept. A model that does not answer is a failure that says what to do.',
    ],
    positionals: [{ name: 'model', complete: 'model' }],
    flags: MODELS_TEST_FLAGS,
    examples: [
      ['openbot models test', 'the model of the default agent'],
      ['openbot models test anthropic/claude-sonnet-4-5', 'another one'],
    ],
    async results() {
      const { MODELS_TEST } = await import('../../commands/models/result-shapes.ts');
      return { 'openbot models test [model] --json': MODELS_TEST };
    },
    load: async () => (await import('../../commands/models/models-test.ts')).modelsTest,
  }),
];
