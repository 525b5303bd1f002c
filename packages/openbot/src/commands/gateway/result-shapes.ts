import type { ResultShape } from '@openbot/sessions/command-line';

export const CHANNEL_STATE = {
  channel: 'string',
  accountId: 'string',
  'summary?': 'string',
  health: {
    state: "'starting' | 'connected' | 'reconnecting' | 'failed' | 'stopped'",
    'since?': 'number - ms',
    'error?': 'string',
    'warning?': 'string - of one that is connected',
    'nextTryAt?': 'number - ms',
  },
  'capabilities?': 'any - what the network can do',
  'startedAt?': 'number - ms',
  'lastInboundAt?': 'number - ms',
  'lastOutboundAt?': 'number - ms',
  'lastError?': 'string',
} as const satisfies ResultShape;

export const GATEWAY_STATUS = {
  running: 'boolean',
  'process?': 'string',
  'pid?': 'number',
  'port?': 'number',
  'address?': 'string - that it listens on',
  'url?': 'string - for clients on this machine',
  'version?': 'string',
  'startedAt?': 'number - ms',
  'ready?': 'boolean - what /readyz says',
  'failing?': ['string - what is not ready'],
  'host?': {
    at: "'starting' | 'up' | 'resting' | 'blocked' | 'down' | 'closed' - the process that runs agents",
    'pid?': 'number',
    'reason?': 'string - why it is down, or begun again',
    crashes: 'number',
    'delayMs?': 'number - of its event loop',
  },
  'configFault?': 'string - why the configuration is not used as it is now',
  'waits?': [{ model: 'string', sessions: 'number - that wait for it', nextTryAt: 'number - ms' }],
  'failingSteps?': [
    {
      kind: "'turn' | 'outbox' | 'inbox' | 'heartbeat' | 'send'",
      step: 'string',
      failures: 'number - in a row',
      since: 'number - ms',
      error: 'string - of the last time',
      'isDiskFull?': 'boolean',
    },
  ],
  'eventLoop?': {
    delayP99Ms: 'number - how late the gateway itself was, within the last minute',
    delayMaxMs: 'number',
  },
  'channels?': [CHANNEL_STATE],
  'runs?': 'number',
  'connections?': 'number',
} as const satisfies ResultShape;

export const GATEWAY_STATUS_COMMAND: ResultShape = {
  ...GATEWAY_STATUS,
  'uptimeMs?': 'number',
  logPath: 'string',
};

export const GATEWAY_START: ResultShape = {
  pid: 'number',
  port: 'number',
  address: 'string - that it listens on',
  url: 'string - for clients on this machine',
  logPath: 'string',
};

const KEPT: ResultShape = [
  { agentId: 'string', sessionKey: 'string', waiting: 'number', running: 'number', since: 'number - ms' },
];

export const GATEWAY_STOP: ResultShape = {
  was: "'not running' | 'stopped' | 'killed'",
  'pid?': 'number',
  kept: KEPT,
};

export const GATEWAY_RESTART: ResultShape = GATEWAY_START;

export const GATEWAY_LOGS: ResultShape = { path: 'string', lines: ['string'] };

export const GATEWAY_INSTALL: ResultShape = {
  manager: "'systemd' | 'launchd'",
  path: 'string',
  text: 'string',
  written: 'boolean - false with --print, and where it was there already',
  next: ['string - commands that let it take effect'],
};
