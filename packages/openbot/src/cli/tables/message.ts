import { declareCommands } from '@openbot/sessions/command-line';
import { MESSAGE_SEND_FLAGS } from '../../commands/message/flags.ts';

const declare = declareCommands();

export const MESSAGE_COMMANDS = [
  declare({
    name: 'message send',
    summary: 'Send a message on a channel, without asking an agent',
    description: [
      `The message is kept in the outbox, and sent by the process that has the channel. The session of the recipient has
it too, so that the agent knows what was said. Where this version cannot speak on the channel and no gateway runs,
it is refused, and nothing is kept.`,
    ],
    positionals: [],
    flags: MESSAGE_SEND_FLAGS,
    examples: [['openbot message send --channel telegram -t 42 -m "hello"', 'to a person on Telegram']],
    async results() {
      const { MESSAGE_SEND } = await import('../../commands/message/result-shapes.ts');
      return { 'openbot message send --json': MESSAGE_SEND };
    },
    load: async () => (await import('../../commands/message/message-send.ts')).messageSend,
  }),
];
