import { declareCommands } from '@openbot/sessions/command-line';
import { INIT_FLAGS } from '../../commands/init/flags.ts';

const declare = declareCommands();

export const INIT_COMMANDS = [
  declare({
    name: 'init',
    summary: 'Set up a first agent, or bring an OpenClaw over',
    description: [
      `Asks for a model, its key, a name and a folder, tests the model, and sends a first message. Without a terminal, and
with --yes, flags say all of it. A configuration that exists is never overwritten: in a terminal single things can be
changed. A key is kept in a file of the state folder that only you can read, or named by --key-env or --key-file.`,
      `With --from-openclaw the settings that openbot knows and all sessions of an OpenClaw are copied, from its files or its
databases, also while it runs. It is only read. What is left out is listed, with the reason. It can be repeated: sessions
that OpenClaw alone has continued get what was added, and those that were continued here stay as they are. Logins of models
are not copied: set the keys here, or log in with claude again.`,
    ],
    positionals: [{ name: 'path' }],
    flags: INIT_FLAGS,
    examples: [
      ['openbot init', 'ask for everything'],
      ['openbot init --provider script --yes', 'a script that works offline'],
      ['openbot init --provider openai --model gpt-5.1 --key-env OPENAI_API_KEY', 'by flags alone'],
      ['openbot init --base-url http://127.0.0.1:11434/v1 --model local/llama3.2', 'a server of your own'],
      ['openbot init --from-openclaw --dry-run', 'what would be brought over'],
      ['openbot init --from-openclaw ~/backup/.openclaw', 'from another place'],
    ],
    async results() {
      const { FROM_OPENCLAW, INIT } = await import('../../commands/init/result-shapes.ts');
      return { 'openbot init --json': INIT, 'openbot init --from-openclaw --json': FROM_OPENCLAW };
    },
    load: async () => (await import('../../commands/init/init.ts')).init,
  }),
];
