/** Outcomes to be told, with figures that are easy to check by hand. */
import { PLAIN_PALETTE } from '@openbot/sessions/terminal-text';
import type {
  CloneOutcome,
  EditOutcome,
  EditResult,
  RestoreOutcome,
  SessionInfo,
} from '../../src/operations/results.ts';
import type { ReportOptions } from '../../src/report/report-options.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';

export const PLAIN: ReportOptions = {
  verbose: false,
  palette: PLAIN_PALETTE,
  home: '/home/user',
  columns: 80,
};
export const VERBOSE: ReportOptions = { ...PLAIN, verbose: true };

const FOLDER = '/home/user/.openclaw/agents/main/sessions';

export const SESSION: FoundSession = {
  sessionId: 'abc123-def456',
  sessionKey: 'agent:main:main',
  agentId: 'main',
  source: 'openclaw',
  path: `${FOLDER}/abc123-def456.jsonl`,
  cwd: '/home/user/garden',
  updatedAt: Date.UTC(2026, 10, 15, 20, 58),
  sizeBytes: 128_000,
};

const RESULT: EditResult = {
  success: true,
  mode: 'edit',
  sessionId: SESSION.sessionId,
  foundBy: 'argument',
  agentId: 'main',
  backupPath: `${FOLDER}/abc123-def456.backup.1.jsonl`,
  statistics: {
    messagesOriginal: 45,
    messagesAfter: 38,
    toolCallsOriginal: 25,
    toolCallsRemoved: 12,
    toolCallsTruncated: 5,
    toolCallsPreserved: 8,
    sizeOriginal: 128_000,
    sizeAfter: 100_352,
    reductionPercent: 22,
  },
  tokens: { before: 184_000, after: 61_200, basis: 'calibrated' },
  changed: true,
};

export function editOutcome(result: Partial<EditResult> = {}, more: Partial<EditOutcome> = {}): EditOutcome {
  return {
    result: { ...RESULT, ...result },
    session: SESSION,
    foundBy: 'argument',
    plan: {
      messagesOriginal: 45,
      messagesAfter: 38,
      toolCallsOriginal: 25,
      toolCallsRemoved: 12,
      toolCallsTruncated: 5,
      toolCallsPreserved: 8,
      orphanedResultsRemoved: 0,
      toolOutputsTruncated: 0,
      thinkingRemoved: 0,
      thinkingUnbound: 0,
      turnsTotal: 18,
      turnsWithToolsTotal: 15,
      turnsWithToolsRemoved: 5,
      turnsWithToolsTruncated: 5,
      turnsWithToolsPreserved: 5,
    },
    options: { keepTurnsWithTools: 10, truncatePercent: 50 },
    presetName: 'aggressive',
    ...more,
  };
}

/** The result of an edit that had nothing to do. */
export const UNCHANGED: Partial<EditResult> = {
  changed: false,
  statistics: {
    messagesOriginal: 45,
    messagesAfter: 45,
    toolCallsOriginal: 8,
    toolCallsRemoved: 0,
    toolCallsTruncated: 0,
    toolCallsPreserved: 8,
    sizeOriginal: 128_000,
    sizeAfter: 128_000,
    reductionPercent: 0,
  },
  tokens: { before: 61_200, after: 61_200, basis: 'recorded' },
  note: 'There is nothing older than the 20 turns that stay.',
};

/** Without a backup, as for everything that was not written. */
export function unwrittenOutcome(result: Partial<EditResult>): EditOutcome {
  const { backupPath: _, ...rest } = editOutcome(result).result;
  return { ...editOutcome(), result: rest };
}

export function cloneOutcome(result: Partial<CloneOutcome['result']> = {}): CloneOutcome {
  const { statistics } = RESULT;
  return {
    result: {
      success: true,
      mode: 'clone',
      sourceSessionId: SESSION.sessionId,
      foundBy: 'argument',
      agentId: 'main',
      clonedSessionId: 'xyz789-uvw012',
      clonedSessionPath: `${FOLDER}/xyz789-uvw012.jsonl`,
      sessionKey: 'agent:main:clone:xyz789-uvw012',
      statistics: {
        messagesOriginal: statistics.messagesOriginal,
        messagesCloned: statistics.messagesAfter,
        toolCallsOriginal: 25,
        toolCallsRemoved: 12,
        toolCallsTruncated: 5,
        toolCallsPreserved: 8,
        sizeOriginal: statistics.sizeOriginal,
        sizeCloned: statistics.sizeAfter,
        reductionPercent: 22,
      },
      tokens: RESULT.tokens,
      resumeCommand: 'openclaw agent --session-id xyz789-uvw012',
      ...result,
    },
    session: SESSION,
    foundBy: 'argument',
    plan: editOutcome().plan,
    options: editOutcome().options,
  };
}

export function restoreOutcome(result: Partial<RestoreOutcome['result']> = {}): RestoreOutcome {
  return {
    result: {
      success: true,
      mode: 'restore',
      sessionId: SESSION.sessionId,
      foundBy: 'argument',
      agentId: 'main',
      restoredFrom: `${FOLDER}/abc123-def456.backup.1.jsonl`,
      backupPath: `${FOLDER}/abc123-def456.backup.2.jsonl`,
      linesKept: 4,
      context: {
        messages: 21,
        toolCalls: 10,
        toolResults: 10,
        tokens: 12_300,
        basis: 'recorded',
        toolCallsLeft: 0,
        complete: true,
      },
      sizeBefore: 100_352,
      sizeAfter: 128_900,
      ...result,
    },
    session: SESSION,
    foundBy: 'argument',
  };
}

export const INFO: SessionInfo = {
  sessionId: SESSION.sessionId,
  foundBy: 'argument',
  agentId: 'main',
  source: 'openclaw',
  path: SESSION.path,
  sizeBytes: 128_000,
  messages: { total: 75, user: 18, assistant: 32, toolResult: 25, other: 0 },
  turns: { total: 18, withTools: 15 },
  toolCalls: { total: 25, byTool: { read: 15, exec: 10 } },
  tokens: {
    context: 100_000,
    basis: 'recorded',
    byKind: {
      user: 5000,
      assistant: 9000,
      thinking: 0,
      toolCalls: 6000,
      toolResults: 60_000,
      other: 0,
      overhead: 20_000,
    },
    byTool: { read: 50_000, exec: 16_000 },
  },
  compactions: 1,
  presets: {
    default: { tokensAfter: 95_000, toolCallsRemoved: 0, toolCallsTruncated: 7 },
    aggressive: { tokensAfter: 70_000, toolCallsRemoved: 8, toolCallsTruncated: 9 },
    extreme: { tokensAfter: 34_000, toolCallsRemoved: 25, toolCallsTruncated: 0 },
  },
};
