import { declareCommands } from '@openbot/sessions/command-line';
import {
  CHANNELS_ADD_FLAGS,
  CHANNELS_LIST_FLAGS,
  CHANNELS_LOGIN_FLAGS,
  CHANNELS_REMOVE_FLAGS,
  CHANNELS_STATUS_FLAGS,
  CHANNELS_TEST_FLAGS,
  NETWORK,
} from '../../commands/channels/flags.ts';

const declare = declareCommands();
const shapes = () => import('../../commands/channels/result-shapes.ts');

export const CHANNELS_COMMANDS = [
  declare({
    name: 'channels list',
    summary: 'List the accounts on chat networks, and the networks that there are',
    positionals: [],
    flags: CHANNELS_LIST_FLAGS,
    examples: [['openbot channels list --json', 'as JSON']],
    results: async () => ({ 'openbot channels list --json': (await shapes()).CHANNELS_LIST }),
    load: async () => (await import('../../commands/channels/channels-list.ts')).channelsList,
  }),
  declare({
    name: 'channels status',
    summary: 'Tell which accounts are connected',
    description: [
      'It asks the gateway, which has them open. What a network said last is shown where it failed.',
    ],
    positionals: [],
    flags: CHANNELS_STATUS_FLAGS,
    examples: [['openbot channels status', 'of all accounts']],
    results: async () => ({ 'openbot channels status --json': (await shapes()).CHANNELS_STATUS }),
    load: async () => (await import('../../commands/channels/channels-status.ts')).channelsStatus,
  }),
  declare({
    name: 'channels add',
    summary: 'Add an account on a chat network',
    description: [
      `In a terminal it asks for the token, which is kept in a file of the state folder and not in the configuration. A
package that the network needs and that is missing is named with the command that installs it. A gateway that runs
opens the account without a restart.`,
    ],
    positionals: [NETWORK],
    flags: CHANNELS_ADD_FLAGS,
    examples: [
      ['openbot channels add telegram', 'asks for the token'],
      ['openbot channels add telegram --token-env TELEGRAM_BOT_TOKEN', 'names the variable that has it'],
      ['openbot channels add telegram --account work --set dmPolicy=allowlist', 'a second account'],
    ],
    results: async () => ({ 'openbot channels add <network> --json': (await shapes()).CHANNELS_ADD }),
    load: async () => (await import('../../commands/channels/channels-add.ts')).channelsAdd,
  }),
  declare({
    name: 'channels remove',
    summary: 'Remove a network, or one account of it, from the configuration',
    description: ['Conversations stay. Asks in a terminal; needs --yes without one.'],
    positionals: [NETWORK],
    flags: CHANNELS_REMOVE_FLAGS,
    examples: [['openbot channels remove telegram --account work --yes', 'one account, without a question']],
    results: async () => ({ 'openbot channels remove <network> --json': (await shapes()).CHANNELS_REMOVE }),
    load: async () => (await import('../../commands/channels/channels-remove.ts')).channelsRemove,
  }),
  declare({
    name: 'channels test',
    summary: 'Ask a network who we are',
    description: ['Nothing is sent without --to.'],
    positionals: [NETWORK],
    flags: CHANNELS_TEST_FLAGS,
    examples: [
      ['openbot channels test telegram', 'whether its token is right'],
      ['openbot channels test telegram --to 42', 'and sends a message to 42'],
    ],
    results: async () => ({ 'openbot channels test <network> --json': (await shapes()).CHANNELS_TEST }),
    load: async () => (await import('../../commands/channels/channels-test.ts')).channelsTest,
  }),
  declare({
    name: 'channels login',
    summary: 'Say how to get what a network wants',
    positionals: [NETWORK],
    flags: CHANNELS_LOGIN_FLAGS,
    examples: [['openbot channels login telegram', 'where its token comes from']],
    results: async () => ({ 'openbot channels login <network> --json': (await shapes()).CHANNELS_LOGIN }),
    load: async () => (await import('../../commands/channels/channels-login.ts')).channelsLogin,
  }),
];
