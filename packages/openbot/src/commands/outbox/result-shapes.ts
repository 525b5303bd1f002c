import type { ResultShape } from '@openbot/sessions/command-line';

export const OUTBOX_LIST: ResultShape = [
  {
    id: 'number',
    state: "'dead' | 'waiting' | 'sending'",
    agentId: 'string',
    sessionKey: 'string',
    channel: 'string',
    accountId: 'string',
    to: 'string',
    'threadId?': 'string | number',
    'text?': 'string',
    mediaUrls: ['string'],
    'error?': 'string - of the last try',
    tries: 'number',
    at: 'number - ms: when it died, or is tried next',
    createdAt: 'number - ms',
  },
];

export const OUTBOX_RETRY: ResultShape = { retried: ['number'] };
export const OUTBOX_DROP: ResultShape = { dropped: ['number'] };
