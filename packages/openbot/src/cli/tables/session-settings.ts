import { declareCommands } from '@openbot/sessions/command-line';
import { SET_FLAGS } from '../../commands/session-settings/flags.ts';

const declare = declareCommands();

export const SESSION_SETTINGS_COMMANDS = [
  declare({
    name: 'sessions set',
    summary: 'Set the model, levels and others of a session, as chat commands do',
    description: [
      `The settings are model, think, reasoning, verbose, usage, queue, activation, send and label; without any, all are shown. The value
default removes one. A session is named by its key, its id, the beginning of its id, or its label. A run that is under way keeps
the settings that it began with.`,
    ],
    positionals: [
      { name: 'session', required: true, complete: 'session' },
      { name: 'name=value', many: true },
    ],
    flags: SET_FLAGS,
    examples: [
      ['openbot sessions set main think=high model=opus', 'set two for the main session'],
      ['openbot sessions set main "queue=collect debounce:2s"', 'a value with a space'],
      ['openbot sessions set main --unset think,model', 'remove them'],
      ['openbot sessions set main', 'show what holds'],
    ],
    async results() {
      const { SET } = await import('../../commands/session-settings/result-shapes.ts');
      return { 'openbot sessions set <session> name=value --json': SET };
    },
    load: async () => (await import('../../commands/session-settings/sessions-set.ts')).sessionsSet,
  }),
];
