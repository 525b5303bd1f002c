/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const USAGE: ResultShape = {
  'input?': 'number - without the cache',
  'output?': 'number',
  'cacheRead?': 'number',
  'cacheWrite?': 'number',
  total: 'number',
};

export const AGENT: ResultShape = {
  payloads: [
    {
      text: 'string',
      mediaUrl: 'string | null',
      'mediaUrls?': ['string'],
      'replyToId?': 'string',
      'audioAsVoice?': 'boolean',
      'isError?': 'boolean',
      'channelData?': 'any',
    },
  ],
  meta: {
    durationMs: 'number',
    agentMeta: {
      sessionId: 'string',
      sessionKey: 'string',
      agentId: 'string',
      provider: 'string',
      model: 'string',
      'usage?': USAGE,
      'lastCallUsage?': USAGE,
      'compactionCount?': 'number - compactions during the run',
    },
    runId: 'string',
    outcome: "'answered' | 'silent' | 'aborted'",
    aborted: 'boolean',
    'delivered?': [{ key: 'string', state: "'sent' | 'waiting' | 'dead'" }],
  },
};
