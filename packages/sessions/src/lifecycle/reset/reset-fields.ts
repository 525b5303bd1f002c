import type { OpenSessionEntry, SessionEntry } from '../../entry/session-entry.ts';

/** `new`: begins afresh with the session. */
type ResetRule = 'kept' | 'cleared' | 'new';

/** What happens to each field of an entry when its key gets a new session. Fields not named here are kept. */
export const RESET_RULES = {
  sessionId: 'new',
  updatedAt: 'new',
  sessionFile: 'new',
  sessionStartedAt: 'new',
  systemSent: 'new',
  abortedLastRun: 'new',
  compactionCount: 'new',

  // What the person set, and who the conversation is with
  label: 'kept',
  displayName: 'kept',
  spawnedBy: 'kept',
  agentHarnessId: 'kept',
  chatType: 'kept',
  channel: 'kept',
  groupId: 'kept',
  subject: 'kept',
  groupChannel: 'kept',
  space: 'kept',
  origin: 'kept',
  lastChannel: 'kept',
  lastTo: 'kept',
  lastAccountId: 'kept',
  lastThreadId: 'kept',
  deliveryContext: 'kept',
  delivery: 'kept',
  route: 'kept',
  sendPolicy: 'kept',
  providerOverride: 'kept',
  modelOverride: 'kept',
  modelProvider: 'kept',
  model: 'kept',
  // A new session does not bring the model back
  fallbackNoticeSelectedModel: 'kept',
  fallbackNoticeActiveModel: 'kept',
  fallbackNoticeReason: 'kept',
  authProfileOverride: 'kept',
  authProfileOverrideSource: 'kept',
  thinkingLevel: 'kept',
  verboseLevel: 'kept',
  reasoningLevel: 'kept',
  elevatedLevel: 'kept',
  responseUsage: 'kept',
  ttsAuto: 'kept',
  groupActivation: 'kept',
  groupActivationNeedsSystemIntro: 'kept',
  queueMode: 'kept',
  queueDebounceMs: 'kept',
  queueCap: 'kept',
  queueDrop: 'kept',
  execHost: 'kept',
  execSecurity: 'kept',
  execAsk: 'kept',
  execNode: 'kept',
  // Keeps the same alert from being sent twice, whichever session sent it
  lastHeartbeatText: 'kept',
  lastHeartbeatSentAt: 'kept',

  // The agent's own session behind the one that ended
  sdkSessionId: 'cleared',
  cliSessionIds: 'cleared',
  claudeCliSessionId: 'cleared',
  // Its figures
  inputTokens: 'cleared',
  outputTokens: 'cleared',
  totalTokens: 'cleared',
  totalTokensFresh: 'cleared',
  cacheRead: 'cleared',
  cacheWrite: 'cleared',
  contextTokens: 'cleared',
  estimatedCostUsd: 'cleared',
  contextBudgetStatus: 'cleared',
  // Its compactions and memory flushes
  compactionCheckpoints: 'cleared',
  authProfileOverrideCompactionCount: 'cleared',
  memoryFlushAt: 'cleared',
  memoryFlushCompactionCount: 'cleared',
  lastClean: 'cleared',
  pendingClean: 'cleared',
  lastRestore: 'cleared',
  lastCompact: 'cleared',
  droppedThinking: 'cleared',
  rebuilt: 'cleared',
  // Its runs, and what they were made with
  lastInteractionAt: 'cleared',
  lastActivityAt: 'cleared',
  status: 'cleared',
  startedAt: 'cleared',
  endedAt: 'cleared',
  lastRunId: 'cleared',
  runtimeMs: 'cleared',
  abortedBy: 'cleared',
  lastThinkingLevel: 'cleared',
  permissionsAdded: 'cleared',
  skillsSnapshot: 'cleared',
  systemPromptReport: 'cleared',
} as const satisfies Record<keyof SessionEntry, ResetRule>;

/** Fields that only other programs write and that belong to the session that ended. */
export const FOREIGN_FIELDS_CLEARED = [
  'cliSessionBindings',
  // Says which session of the key it is; that of ours is its id
  'lifecycleRevision',
  'memoryFlushContextHash',
  'memoryFlushFailureCount',
  'memoryFlushLastFailedAt',
  'memoryFlushLastFailureError',
] as const;

/**
 * The entry of a session that begins now under a key that had another one before. Its `updatedAt` is the clock's, also
 * when the old one was ahead of it: a reset ends the effect of a clock that was wrong.
 */
export function startNextEntry(
  previous: Readonly<SessionEntry> | undefined,
  fresh: { sessionId: string; sessionFile: string; now: number },
): SessionEntry {
  const kept: Partial<OpenSessionEntry> = { ...previous };
  for (const [field, rule] of Object.entries(RESET_RULES)) if (rule !== 'kept') delete kept[field];
  for (const field of FOREIGN_FIELDS_CLEARED) delete kept[field];
  return {
    sessionId: fresh.sessionId,
    updatedAt: fresh.now,
    sessionStartedAt: fresh.now,
    sessionFile: fresh.sessionFile,
    systemSent: false,
    abortedLastRun: false,
    compactionCount: 0,
    ...kept,
  };
}
