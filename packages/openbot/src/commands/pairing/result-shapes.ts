import type { ResultShape } from '@openbot/sessions/command-line';

const PERSON = {
  channel: 'string',
  id: 'string',
  meta: { 'username?': 'string', 'firstName?': 'string', accountId: 'string' },
} as const;

export const PAIRING_LIST: ResultShape = {
  'channel?': 'string',
  requests: [{ ...PERSON, code: 'string', createdAt: 'string', lastSeenAt: 'string', expiresAt: 'string' }],
  approved: [{ ...PERSON, approvedAt: 'string' }],
};

export const PAIRING_APPROVE: ResultShape = { ...PERSON, approvedAt: 'string' };
export const PAIRING_CHANGE: ResultShape = PERSON;
