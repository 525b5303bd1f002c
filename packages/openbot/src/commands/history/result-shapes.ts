/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const RESULT = {
  text: 'string',
  images: 'number',
  isError: 'boolean',
  'durationMs?': 'number',
} as const;

export const HISTORY_MESSAGE: ResultShape = {
  turn: 'number | null - counted from 1; null before the first, and on other branches',
  role: "'user' | 'assistant' | 'tool' | 'system' | 'summary' | 'note'",
  'id?': 'string - of the entry, for --at',
  'at?': 'number - milliseconds',
  text: 'string',
  'thinking?': 'string',
  'calls?': [{ id: 'string', name: 'string', arguments: 'any', 'result?': RESULT }],
  'results?': [{ callId: 'string', 'name?': 'string', ...RESULT }],
  'images?': 'number',
  'provider?': 'string',
  'model?': 'string',
  'usage?': {
    input: 'number',
    output: 'number',
    cacheRead: 'number',
    cacheWrite: 'number',
    'costUsd?': 'number',
  },
  'failure?': 'string',
  'note?': "'compaction' | 'summary' | 'branch' | 'model' | 'thinking' | 'reset' | 'name' | 'unreadable'",
  'detail?': 'string - the summary of a compaction',
  'marked?': 'true - the entry of --at',
  'otherBranch?': 'true - the conversation goes on without it',
};

export const HISTORY: ResultShape = {
  sessionId: 'string',
  'sessionKey?': 'string',
  'agentId?': 'string',
  'label?': 'string',
  source: "'openclaw' | 'pi' | 'claude'",
  path: 'string',
  turns: 'number - of the whole conversation',
  'shown?': { first: 'number', last: 'number' },
  otherBranches: 'number - messages that are not shown',
  messages: [HISTORY_MESSAGE],
};

export const EXPORT: ResultShape = {
  sessionId: 'string',
  'sessionKey?': 'string',
  format: "'md' | 'html' | 'jsonl'",
  path: 'string',
  sizeBytes: 'number',
  redacted: 'boolean',
};
