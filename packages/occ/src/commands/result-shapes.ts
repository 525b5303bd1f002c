/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';
import { SOURCE_NAMES, STORAGE_KINDS } from '../storage/contract/found-session.ts';

const listValues = (names: readonly string[]) => names.map((name) => `'${name}'`).join(' | ');

const WARNINGS: ResultShape = [{ code: 'string', message: 'string', 'hint?': 'string' }];

const FOUND = {
  foundBy: "'argument' | 'environment' | 'calling-command' | 'most-recent' - how the session was found",
  'sessionKey?': 'string - OpenClaw only; absent for a session that no index names',
  agentId: 'string | null - OpenClaw only',
  'label?': 'string',
  'displayName?': 'string',
} as const;

const BASIS = "'recorded' | 'calibrated' | 'estimated'";
const TOKENS = { before: 'number - of the context', after: 'number', basis: BASIS } as const;

const COUNTS = {
  messagesOriginal: 'number',
  toolCallsOriginal: 'number',
  toolCallsRemoved: 'number',
  toolCallsTruncated: 'number',
  toolCallsPreserved: 'number',
  'orphanedResultsRemoved?': 'number - results without a call that were removed',
  'toolOutputsTruncated?': "number - outputs in people's lines that were shortened",
  'thinkingRemoved?': 'number - blocks of thinking that went',
  'thinkingUnbound?':
    'number - those of them that went because what they are bound to changed, not with their calls',
  sizeOriginal: 'number - bytes',
  reductionPercent: 'number - of the file',
} as const;

const ROTATION = {
  'rotatedOut?': ['string - the path of a backup that was removed; five are kept'],
  'originalPath?': 'string - where the first state is kept',
} as const;

export const EDIT: ResultShape = {
  success: 'true',
  mode: "'edit'",
  sessionId: 'string',
  ...FOUND,
  'backupPath?': 'string - absent when nothing was changed',
  statistics: { ...COUNTS, messagesAfter: 'number', sizeAfter: 'number' },
  tokens: TOKENS,
  'staleThinking?': 'number - blocks that an earlier rewrite left behind changed lines, which go',
  changed: 'boolean',
  'scheduled?': 'true - the edit waits in the background for the run to end',
  'dryRun?': 'true',
  'note?': 'string - why nothing was changed, or a remark',
  ...ROTATION,
  'warnings?': WARNINGS,
};

export const CLONE: ResultShape = {
  success: 'true',
  mode: "'clone'",
  sourceSessionId: 'string',
  'sourceSessionKey?': 'string',
  'sourceBackupPath?': 'string - the backup that was cloned',
  ...FOUND,
  'clonedSessionId?': 'string - absent in a dry run, as all that only a clone has',
  'clonedSessionPath?': 'string',
  'sessionKey?': 'string - the key of the clone in the index',
  statistics: { ...COUNTS, messagesCloned: 'number', sizeCloned: 'number' },
  tokens: TOKENS,
  'resumeCommand?': 'string - continues in the clone',
  'dryRun?': 'true',
  'changed?': 'false',
  'note?': 'string - why the clone is in no index',
  'warnings?': WARNINGS,
};

export const RESTORE: ResultShape = {
  success: 'true',
  mode: "'restore'",
  sessionId: 'string',
  ...FOUND,
  restoredFrom: 'string - the path of the backup',
  backupPath: 'string - the state before the restore',
  linesKept: 'number - lines added since the edit, which follow the restored ones',
  'thinkingUnbound?': 'number - blocks of thinking removed from these lines: what they are bound to changes',
  sizeBefore: 'number - bytes',
  sizeAfter: 'number',
  context: {
    messages: 'number - what the model is given at its next call',
    toolCalls: 'number',
    toolResults: 'number',
    tokens: 'number',
    basis: BASIS,
    toolCallsLeft: 'number - off the path of the conversation',
    complete: 'boolean - whether the model is given all that was restored',
  },
  'note?': 'string',
  ...ROTATION,
  'warnings?': WARNINGS,
};

export const BACKUPS: ResultShape = [
  {
    number: 'number - 0 for the original',
    path: 'string',
    sizeBytes: 'number',
    createdAt: 'number - milliseconds',
    madeBefore: "'edit' | 'restore' | 'unknown'",
    'original?': 'true - the first state, kept compressed',
  },
];

export const LIST: ResultShape = [
  {
    sessionId: 'string',
    'sessionKey?': 'string - OpenClaw only',
    agentId: 'string | null - OpenClaw only',
    source: listValues(SOURCE_NAMES),
    path: 'string - of the transcript, or of the database that holds it',
    'storage?': `${listValues(STORAGE_KINDS)} - absent for a file`,
    'indexPath?': 'string - where it is not sessions.json beside the transcript',
    cwd: 'string | null',
    updatedAt: 'number - milliseconds',
    sizeBytes: 'number',
    'label?': 'string',
    'displayName?': 'string',
    'firstWords?': 'string - what the person first said, at most 200 characters, without secrets',
    'tokens?': { context: 'number - what the model reads at its next call', basis: BASIS },
    'window?': { tokens: 'number', 'used?': 'number', 'percent?': 'number', 'estimated?': 'true' },
    'former?': 'true - its key leads to another session now',
    'cold?': 'true - OpenClaw moved its lines out of the database',
    'missing?': 'true - the index names it, and its transcript does not exist',
  },
];

export const INFO: ResultShape = {
  sessionId: 'string',
  ...FOUND,
  source: listValues(SOURCE_NAMES),
  path: 'string',
  sizeBytes: 'number',
  messages: { total: 'number', user: 'number', assistant: 'number', toolResult: 'number', other: 'number' },
  turns: { total: 'number', withTools: 'number' },
  toolCalls: { total: 'number', byTool: { '[name]': 'number' } },
  tokens: { context: 'number', basis: BASIS, byKind: { '[name]': 'number' }, byTool: { '[name]': 'number' } },
  compactions: 'number',
  'window?': { tokens: 'number', percent: 'number' },
  presets: {
    '[name]': { tokensAfter: 'number', toolCallsRemoved: 'number', toolCallsTruncated: 'number' },
  },
  'largeCalls?': { over: 'number - characters', calls: 'number', tokens: 'number' },
  'brokenLines?': 'number - lines that are not JSON; they are kept',
  'staleThinking?': 'number - blocks that the provider refuses or leaves out; the next edit removes them',
  'droppedThinking?': {
    answers: 'number - that record that thinking was left out of their request',
    blocks: 'number - that the newest of them records',
    isCurrent: 'boolean - whether the newest answer of the session is one of them',
  },
  'lastScheduledEdit?': {
    state: "'waiting' | 'done' | 'failed'",
    requestedAt: 'string - ISO 8601',
    'finishedAt?': 'string',
    'corrects?': "'figures' - the edit was made at once; figures are corrected after the run",
    'result?': 'any - as occ edit --json prints it',
    'error?': { code: 'string', message: 'string', 'hint?': 'string' },
  },
  recommendation: { 'preset?': 'string', 'truncateOver?': 'number', reason: 'string' },
  'warnings?': WARNINGS,
};

export const DEMO: ResultShape = {
  '[name]': { command: 'string - the command line of the step', result: 'any - what it prints' },
};
