import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

const ACCOUNT = declareFlags({
  account: { kind: 'text', value: 'id', example: 'work', help: 'Which of your accounts. Default: default' },
});

const TIMEOUT = declareFlags({
  timeout: {
    kind: 'seconds',
    value: 'seconds',
    example: '20',
    help: 'How long the network may take to answer. Default: 20',
  },
});

export const NETWORK = { name: 'network', required: true, complete: 'channel' } as const;

export const CHANNELS_LIST_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });
export const CHANNELS_STATUS_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });

export const CHANNELS_ADD_FLAGS = declareFlags({
  ...ACCOUNT,
  token: {
    kind: 'text',
    value: 'token',
    help: 'The token or key of the network; - reads it from standard input',
  },
  tokenEnv: {
    kind: 'text',
    value: 'variable',
    example: 'TELEGRAM_BOT_TOKEN',
    help: 'A variable of the environment that has it',
  },
  tokenFile: { kind: 'path', value: 'path', example: './token', help: 'A file that has it' },
  set: {
    kind: 'list',
    value: 'name=value',
    example: 'dmPolicy=allowlist',
    help: 'Another setting of the account. Can be given several times',
  },
  name: { kind: 'text', value: 'name', example: '"House bot"', help: 'What people call the account' },
  noTest: { kind: 'boolean', help: 'Do not ask the network who we are' },
  ...TIMEOUT,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const CHANNELS_REMOVE_FLAGS = declareFlags({
  ...ACCOUNT,
  all: { kind: 'boolean', help: 'All accounts of the network, and its settings' },
  yes: { kind: 'boolean', help: 'Do not ask' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const CHANNELS_TEST_FLAGS = declareFlags({
  ...ACCOUNT,
  to: {
    kind: 'text',
    short: 't',
    value: 'dest',
    example: '42',
    help: 'Sends a message there through the gateway',
  },
  message: {
    kind: 'text',
    short: 'm',
    value: 'text',
    example: '"hello"',
    help: 'The message. Default: a short greeting',
  },
  ...TIMEOUT,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const CHANNELS_LOGIN_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });
