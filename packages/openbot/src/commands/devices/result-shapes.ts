import type { ResultShape } from '@openbot/sessions/command-line';

const FACTS = {
  deviceId: 'string',
  publicKey: 'string',
  'name?': 'string',
  clientId: 'string',
  clientMode: 'string',
  'platform?': 'string',
  scopes: ['string'],
} as const;

const APPROVED = { ...FACTS, approvedAtMs: 'number', 'lastSeenAtMs?': 'number' } as const;

export const DEVICES_LIST: ResultShape = {
  approved: [APPROVED],
  pending: [{ ...FACTS, requestId: 'string', 'address?': 'string', requestedAtMs: 'number' }],
};

export const DEVICES_APPROVE: ResultShape = APPROVED;
export const DEVICES_REVOKE: ResultShape = { deviceId: 'string', 'name?': 'string' };
