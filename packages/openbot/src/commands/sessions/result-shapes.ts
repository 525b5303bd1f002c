/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

/** The rows have the fields of OpenClaw; which ones depends on what keeps the session. */
const ROW: ResultShape = {
  key: 'string',
  updatedAt: 'number | null - milliseconds',
  ageMs: 'number | null',
  'sessionId?': 'string',
  'sessionFile?': 'string - in files only',
  'label?': 'string',
  'status?': 'string',
  totalTokens: 'number | null - in the context',
  totalTokensFresh: 'boolean',
  contextTokens: 'number - the window of the model',
  model: 'string',
  modelProvider: 'string',
  agentId: 'string',
  acpRuntime: 'boolean',
  agentRuntime: { id: 'string', source: 'string' },
  kind: "'direct' | 'group' | 'cron' | 'spawn-child' | 'global' | 'unknown'",
  '[name]': 'any - further fields of the entry, as OpenClaw lists them',
};

export const LIST: ResultShape = {
  path: 'string | null - the store; null for several',
  'stores?': [{ agentId: 'string', path: 'string' }],
  'allAgents?': 'true',
  count: 'number',
  totalCount: 'number',
  limitApplied: 'number | null',
  hasMore: 'boolean',
  activeMinutes: 'number | null',
  sessions: [ROW],
};

const UNDO: ResultShape = ['string - a command that puts an archive back'];

const ARCHIVE: ResultShape = {
  path: 'string',
  kind: "'reset' | 'deleted' | 'bak' | 'damaged' | 'backup'",
  sessionId: 'string',
  'at?': 'number',
  sizeBytes: 'number',
  'isEntryOnly?': 'true - the session had no transcript',
};

export const SHOW: ResultShape = {
  key: 'string',
  agentId: 'string',
  'sessionId?': 'string',
  kind: 'string',
  store: 'string - the path of what keeps it',
  keptIn: 'string',
  inUse: 'string | null - who runs it, or writes to its transcript',
  model: 'string',
  modelProvider: 'string',
  totalTokens: 'number | null',
  contextTokens: 'number',
  transcript: {
    path: 'string',
    isThere: 'boolean',
    sizeBytes: 'number',
    'lines?': 'number',
    'fault?': 'string - why it cannot be read',
  },
  archives: [ARCHIVE],
  entry: 'any - the whole entry, as it is kept',
};

export const LABEL: ResultShape = {
  key: 'string',
  sessionId: 'string',
  label: 'string | null',
  previousLabel: 'string | null',
};

export const RESET: ResultShape = {
  key: 'string',
  sessionId: 'string - the new one',
  previousSessionId: 'string',
  archived: ['string'],
  undo: UNDO,
};

export const DELETE: ResultShape = { key: 'string', sessionId: 'string', archived: ['string'], undo: UNDO };

export const PRUNE: ResultShape = {
  dryRun: 'boolean',
  pruned: [
    {
      key: 'string',
      agentId: 'string',
      sessionId: 'string',
      reason: "'age' | 'count'",
      archived: ['string'],
      undo: UNDO,
    },
  ],
  failed: [{ key: 'string', code: 'string', message: 'string' }],
  kept: 'number',
};

export const COMPACT: ResultShape = {
  key: 'string',
  sessionId: 'string',
  compacted: 'boolean',
  'reason?': "'no transcript' | 'nothing to remove'",
  kept: 'number - lines beside the header',
  removed: 'number',
  sizeBefore: 'number - bytes',
  sizeAfter: 'number',
  archived: ['string'],
  undo: UNDO,
};

export const RESTORE: ResultShape = {
  key: 'string',
  sessionId: 'string',
  'path?': 'string - the transcript, where there is one',
  from: 'string - the archive',
  replaced: 'any - null, or { sessionId, archived } of what the key pointed to meanwhile',
  undo: UNDO,
};

export const RESTORE_LIST: ResultShape = { archives: [{ ...ARCHIVE, agentId: 'string' }] };
