import type { ResultShape } from '@openbot/sessions/command-line';
import { GATEWAY_STATUS } from '../gateway/result-shapes.ts';

const FAULT = { part: 'string', code: 'string', message: 'string' } as const;

export const STATUS: ResultShape = {
  version: 'string',
  stateDir: 'string',
  exists: 'boolean',
  'configPath?': 'string',
  agents: [
    {
      id: 'string',
      isDefault: 'boolean',
      store: 'string',
      keptIn: 'string',
      'sessions?': 'number',
      'lastUsedAt?': 'number - ms',
    },
  ],
  sessions: { count: 'number', recent: ['any - as in openbot sessions --json, with label?'] },
  runs: [{ process: 'string', 'since?': 'number - ms' }],
  'messages?': {
    waiting: [
      { agentId: 'string', sessionKey: 'string', waiting: 'number', running: 'number', since: 'number - ms' },
    ],
    failed: 'number',
    outbox: { waiting: 'number', sending: 'number', sent: 'number', dead: 'number' },
    unsent: [{ channel: 'string', accountId: 'string', count: 'number', since: 'number - ms' }],
  },
  deadLetters: ['any - as in openbot outbox list --json'],
  channels: [{ name: 'string', enabled: 'boolean', accounts: ['string'], hasDriver: 'boolean' }],
  gateway: GATEWAY_STATUS,
  models: [
    {
      name: 'string',
      agents: ['string'],
      isKnown: 'boolean',
      credential: "'present' | 'missing' | 'unneeded' | 'unknown'",
      'credentialHint?': 'string',
    },
  ],
  'index?': {
    path: 'string',
    sizeBytes: 'number',
    'version?': 'number',
    isCurrent: 'boolean',
    'sessions?': 'number',
    'messages?': 'number',
  },
  'droppedThinking?': { blocks: 'number', sessions: 'number', at: 'number - ms' },
  'usage?': [
    {
      agentId: 'string',
      inputTokens: 'number',
      outputTokens: 'number',
      cacheCreationTokens: 'number',
      cacheReadTokens: 'number',
      costUsd: 'number - of what has a price',
      unpricedModels: ['string'],
    },
  ],
  faults: [FAULT],
};
