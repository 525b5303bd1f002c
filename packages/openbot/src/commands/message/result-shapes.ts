import type { ResultShape } from '@openbot/sessions/command-line';

export const MESSAGE_SEND: ResultShape = {
  key: 'string',
  channel: 'string',
  accountId: 'string',
  to: 'string',
  'threadId?': 'string',
  sessionKey: 'string',
  dryRun: 'boolean',
  state: "'none' | 'waiting' | 'sending' | 'sent' | 'dead' - none with --dry-run",
  ids: ['string - those that the network gave'],
  'error?': 'string',
  mirrored: 'boolean - whether the transcript of the session has it',
};
