import { declareCommands } from '@openbot/sessions/command-line';
import { CONFIG_FLAGS, GET_FLAGS, PLACE_FLAGS } from '../../commands/config/flags.ts';

const declare = declareCommands();

const PATHS =
  'A setting is named by its path: agents.defaults.model, agents.list[0].name, agents.defaults.models["openai/gpt-4.1"].alias.';

export const CONFIG_COMMANDS = [
  declare({
    name: 'config get',
    summary: 'Print a setting, or all that openbot.json says',
    description: [
      PATHS,
      'Variables are printed by their names, and secrets are masked. With what the file includes. A setting that is not set is an error, which says its default.',
    ],
    positionals: [{ name: 'path', complete: 'setting' }],
    flags: GET_FLAGS,
    examples: [
      ['openbot config get', 'all settings'],
      ['openbot config get agents.defaults.model', 'one of them'],
    ],
    async results() {
      const { GET } = await import('../../commands/config/result-shapes.ts');
      return { 'openbot config get --json': GET };
    },
    load: async () => (await import('../../commands/config/config-get.ts')).configGet,
  }),
  declare({
    name: 'config set',
    summary: 'Set a setting; comments and style of the file stay',
    description: [
      PATHS,
      `The value is JSON5 where the setting takes that, otherwise text; - reads it from standard input. Missing parents are made,
and so is the file. A value that would make the file invalid is refused. A running bot takes it for its next turn.`,
    ],
    positionals: [
      { name: 'path', required: true, complete: 'setting' },
      { name: 'value', required: true, whenTooMany: 'put the value in quotation marks' },
    ],
    flags: CONFIG_FLAGS,
    examples: [
      ['openbot config set agents.defaults.model claude/sonnet', 'the model of all agents'],
      ['openbot config set session.reset "{ mode: \'idle\', idleMinutes: 90 }"', 'several settings at once'],
      [
        'openbot config set models.providers.openai.apiKey - < key.txt',
        'a secret, not in the history of the shell',
      ],
    ],
    async results() {
      const { EDIT } = await import('../../commands/config/result-shapes.ts');
      return { 'openbot config set --json': EDIT };
    },
    load: async () => (await import('../../commands/config/config-set.ts')).configSet,
  }),
  declare({
    name: 'config unset',
    summary: 'Remove a setting, so that its default holds',
    description: [PATHS],
    positionals: [{ name: 'path', required: true, complete: 'setting' }],
    flags: CONFIG_FLAGS,
    examples: [['openbot config unset session.dmScope', 'back to the default']],
    async results() {
      const { EDIT } = await import('../../commands/config/result-shapes.ts');
      return { 'openbot config unset --json': EDIT };
    },
    load: async () => (await import('../../commands/config/config-unset.ts')).configUnset,
  }),
  declare({
    name: 'config path',
    summary: 'Print where openbot.json is, or would be',
    positionals: [],
    flags: PLACE_FLAGS,
    examples: [['openbot config path', 'the file that the commands read']],
    load: async () => (await import('../../commands/config/config-path.ts')).configPath,
  }),
  declare({
    name: 'config validate',
    summary: 'Check openbot.json, and say all faults with their places',
    positionals: [],
    flags: CONFIG_FLAGS,
    examples: [['openbot config validate', 'exit code 1 where something is wrong']],
    async results() {
      const { VALIDATE } = await import('../../commands/config/result-shapes.ts');
      return { 'openbot config validate --json': VALIDATE };
    },
    load: async () => (await import('../../commands/config/config-validate.ts')).configValidate,
  }),
  declare({
    name: 'config schema',
    summary: 'Print the JSON schema of openbot.json',
    description: ['An editor that is given it, as $schema of the file, completes and explains settings.'],
    positionals: [],
    flags: {},
    examples: [['openbot config schema > openbot.schema.json', 'for an editor']],
    load: async () => (await import('../../commands/config/config-schema.ts')).configSchema,
  }),
];
