/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';
import { CHANNEL_STATE } from '../gateway/result-shapes.ts';

export const CHANNELS_LIST: ResultShape = {
  path: 'string - the configuration',
  accounts: [
    {
      channel: 'string',
      accountId: 'string',
      'name?': 'string',
      enabled: 'boolean',
      hasDriver: 'boolean - whether this version can speak on the network',
      hasCredential: 'boolean',
    },
  ],
  networks: [
    {
      name: 'string',
      label: 'string',
      installed: 'boolean',
      install: 'string - the command that installs what is missing; empty where nothing is',
    },
  ],
};

export const CHANNELS_STATUS: ResultShape = {
  running: 'boolean - whether a gateway runs that has them open',
  accounts: [{ ...CHANNEL_STATE, enabled: 'boolean' }],
};

export const CHANNELS_ADD: ResultShape = {
  path: 'string - the configuration',
  channel: 'string',
  accountId: 'string',
  changed: 'boolean',
  'install?': 'string - the command that installs what is missing',
  'probe?': 'string - what the network says of us',
  'error?': 'string - why it could not be asked',
  notices: ['string'],
};

export const CHANNELS_REMOVE: ResultShape = {
  path: 'string - the configuration',
  channel: 'string',
  accountId: 'string',
  'secretPath?': 'string - a file with its secret, which stays',
};

export const CHANNELS_TEST: ResultShape = {
  channel: 'string',
  accountId: 'string',
  probe: 'string - what the network says of us',
  durationMs: 'number',
  'sentTo?': 'string',
};

export const CHANNELS_LOGIN: ResultShape = {
  channel: 'string',
  credential: 'string',
  hint: 'string',
  command: 'string',
};
