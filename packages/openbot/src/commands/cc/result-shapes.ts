/** What `--json` prints. docs/commands.md is made from it, and a test compares it with real output. */
import type { ResultShape } from '@openbot/sessions/command-line';

const SESSION: ResultShape = {
  sessionId: 'string',
  source: "'openclaw' | 'native-only' - an agent ran it, or a person or another program",
  'agentId?': 'string',
  repoPath: 'string',
  cwd: 'string - where it was started',
  branch: 'string',
  firstMessage: 'string - at most 200 characters, without secrets',
  lastModified: 'string - ISO 8601',
  hasTranscript: 'boolean',
  messageCount: 'number',
  lineCount: 'number',
  fileSizeBytes: 'number',
  'totalCostUsd?': 'number',
  'totalTurns?': 'number',
  'lastTask?': 'string',
  'label?': 'string',
  'title?': "string - as Claude Code's own list shows it",
  'slug?': 'string',
  isRunning: 'boolean - a run of an agent works in it',
  isOpen: 'boolean - a Claude Code has it open',
  'originMarker?': 'string',
  totalInputTokens: 'number - without the cache',
  totalCacheTokens: 'number',
  totalOutputTokens: 'number',
  compactionCount: 'number',
  'budgetUsedPct?': 'number - 0 to 1',
  'forkedFrom?': 'string',
};

export const LIST: ResultShape = [SESSION];

export const STATUS: ResultShape = {
  repo: { path: 'string', name: 'string', isGitRepo: 'boolean', isBare: 'boolean' },
  git: {
    currentBranch: 'string',
    headCommitSha: 'string',
    headCommitMessage: 'string',
    uncommittedChanges: ['string - at most 100'],
    stagedChanges: ['string - at most 100'],
    changeCounts: { staged: 'number', modified: 'number', untracked: 'number', conflicted: 'number' },
    stashCount: 'number',
    'upstream?': { name: 'string', 'ahead?': 'number', 'behind?': 'number' },
    recentCommits: [{ sha: 'string', message: 'string', author: 'string', date: 'string - ISO 8601' }],
  },
  'github?': {
    openPrs: [{ number: 'number', title: 'string', branch: 'string', state: 'string' }],
    failingChecks: [{ name: 'string', status: 'string' }],
  },
  sessions: {
    active: ['any - as openbot cc list --json prints them'],
    recent: ['any - the last five'],
    ownRecent: ["any - the agent's last three"],
    total: 'number',
  },
  docs: {
    hasClaudeMd: 'boolean',
    hasSpecs: 'boolean',
    specFiles: ['string'],
    hasTodo: 'boolean',
    hasReadme: 'boolean',
  },
  gaps: [{ part: 'string - what is not known', reason: 'string' }],
  timestamp: 'string - ISO 8601',
};

export const SELECT: ResultShape = {
  action: "'resume' | 'fresh' | 'queue'",
  'sessionId?': 'string - the session to resume',
  'replacesSessionId?': 'string - it has the label, and its transcript does not exist',
  'openSessionId?': 'string - it has the label, and a Claude Code has it open',
  reason: 'string',
  'scores?': [
    {
      sessionId: 'string',
      total: 'number - in hundredths: 91 is above a threshold of 0.6',
      parts: {
        branch: 'number',
        recency: 'number',
        relevance: 'number',
        health: 'number',
        capacity: 'number',
      },
      'ceiling?': 'string - why it is ruled out',
      relevance: { score: 'number - 0 to 1', reasoning: 'string', by: "'model' | 'words'" },
      reason: 'string',
    },
  ],
  'relevanceFallback?': 'string - why the model was not asked',
};

export const RUN_EVENT: ResultShape = {
  type: 'string - one event on each line; the README of openbot lists the types',
  '[name]': 'any',
};

export const SEND: ResultShape = {
  id: 'string - of the coding run',
  state: "'taken' | 'waiting'",
};
