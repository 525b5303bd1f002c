export {
  type AtomicWriteIo,
  type AtomicWriteOptions,
  type NewContent,
  writeFileAtomic,
} from './disk/atomic-write.ts';
export {
  deferEnding,
  endOnSignals,
  isSomebodyElses,
  passOnSignal,
  undoAtEnding,
} from './disk/ending.ts';
export { giveFolderToOwner, giveToFolderOwner } from './disk/give-to-owner.ts';
export type { HeldLock } from './disk/held-lock.ts';
export { inspectLock, type LockInspection } from './disk/inspect-lock.ts';
export { makeLeftoverPath } from './disk/leftover-name.ts';
export { linkNew } from './disk/link-new.ts';
export { acquireLock, type LockOptions, readLockHolder } from './disk/lock-file.ts';
export type { LockHolder } from './disk/lock-record.ts';
export { makeFolder } from './disk/make-folder.ts';
export {
  describeOpenClaude,
  findOpenClaude,
  listOpenClaudes,
  type OpenClaude,
} from './disk/open-claude.ts';
export {
  describeCommand,
  isHolderAlive,
  type Liveness,
  ownIdentity,
  type ProcessIdentity,
} from './disk/process-identity.ts';
export { type ProcessStat, readProcessStat } from './disk/process-stat.ts';
export { sweepLeftovers } from './disk/sweep-leftovers.ts';
export { syncFolder } from './disk/sync-folder.ts';
export { withLock } from './disk/with-lock.ts';
export { type DeliveryContext, readDeliveryContext } from './entry/delivery-context.ts';
export { mergeSessionEntry } from './entry/merge-session-entry.ts';
export { readCliSessionId, readSdkSessionId, readSessionEntry } from './entry/read-session-entry.ts';
export type {
  ForeignDelivery,
  OpenSessionEntry,
  SessionEntry,
  SessionQueueMode,
  TtsAutoMode,
} from './entry/session-entry.ts';
export type { SessionOrigin } from './entry/session-origin.ts';
export type {
  CompactionCheckpoint,
  ContextBudgetStatus,
  SessionSkill,
  SessionSkillSnapshot,
  SessionSystemPromptReport,
  TranscriptPosition,
} from './entry/snapshots.ts';
export { type ErrorCode, type ErrorOptions, OpenBotError } from './errors.ts';
export {
  type AgentPeerSessionKeyParams,
  buildAgentMainSessionKey,
  buildAgentPeerSessionKey,
  buildCloneSessionKey,
  buildCronSessionKey,
  buildHookSessionKey,
  buildSubagentSessionKey,
  DM_SCOPES,
} from './key/build.ts';
export {
  classifySessionKeyShape,
  deriveChannelFromKey,
  deriveChatTypeFromKey,
  getSubagentDepth,
  isCronRunSessionKey,
  isCronSessionKey,
  isHookSessionKey,
  isSubagentSessionKey,
  isThreadSessionKey,
  resolveThreadRoot,
  type SessionKeyShape,
} from './key/classify.ts';
export { formatSessionKey } from './key/format.ts';
export {
  buildGroupHistoryKey,
  type GroupKeyResolution,
  isGroupMessage,
  resolveGroupSessionKey,
} from './key/group.ts';
export { type IdentityLinks, resolveLinkedPeerId } from './key/identity-links.ts';
export { MAX_SESSION_KEY_LENGTH } from './key/key-text.ts';
export {
  DEFAULT_ACCOUNT_ID,
  DEFAULT_AGENT_ID,
  DEFAULT_MAIN_KEY,
  isValidAgentId,
  normalizeAccountId,
  normalizeAgentId,
  normalizeMainKey,
  normalizeOptionalAccountId,
} from './key/normalize.ts';
export {
  type ParsedAgentSessionKey,
  type ParseSessionKeyOptions,
  parseAgentSessionKey,
  parseSessionKey,
} from './key/parse.ts';
export type {
  DirectSpelling,
  DmScope,
  ParsedAgentKey,
  ParsedSessionKey,
  ThreadMarker,
} from './key/parsed-key.ts';
export {
  canonicalizeMainSessionAlias,
  resolveAgentIdFromSessionKey,
  resolveSessionKey,
  type SessionScope,
  toAgentRequestSessionKey,
  toAgentStoreSessionKey,
} from './key/resolve.ts';
export { canonicalizeSessionKey, listSessionKeySpellings } from './key/spellings.ts';
export { readStoredKey } from './key/stored-key.ts';
export {
  buildThreadSessionKey,
  parseThreadSessionSuffix,
  resolveThreadParentSessionKey,
  resolveThreadSessionKeys,
} from './key/thread.ts';
export { AGENT_ID_ENV_NAMES, type AgentIdSources, resolveAgentId } from './layout/agent-id.ts';
export {
  ARCHIVE_REASONS,
  type ArchiveReason,
  archiveFileName,
  classifySessionFileName,
  type SessionFileName,
  STORE_FILE_NAME,
} from './layout/file-name.ts';
export { type OpenclawConfig, readOpenclawConfig } from './layout/openclaw-config.ts';
export { type OpenclawLayout, openclawLayoutOf } from './layout/openclaw-layout.ts';
export {
  AGENT_DATABASE_NAME,
  type LayoutOptions,
  resolveAgentDatabasePath,
  resolveAgentDir,
  resolveDefaultSessionStorePath,
  resolveSessionTranscriptPath,
  resolveSessionTranscriptsDirForAgent,
  resolveStorePath,
} from './layout/paths.ts';
export { claudeProjectSlug, MAX_SLUG, maySlugBeBelow } from './layout/project-slug.ts';
export { readSmallFile } from './layout/read-small-file.ts';
export {
  assertSessionId,
  isSessionId,
  resolveAgentFolderName,
  transcriptFileName,
} from './layout/safe-id.ts';
export { resolveSessionFilePath, type SessionFileOptions } from './layout/session-file.ts';
export {
  type Environment,
  OPENBOT_STATE,
  OPENCLAW_STATE,
  resolveHomeDir,
  resolveOpenclawHome,
  resolveStateDir,
  resolveUserPath,
  type StateDirConvention,
  type StateDirSources,
} from './layout/state-dir.ts';
export {
  type CompactSessionResult,
  compactSession,
  DEFAULT_COMPACT_LINES,
} from './lifecycle/compact/compact-session.ts';
export { incrementCompactionCount } from './lifecycle/entry-updates/compaction-count.ts';
export { normalizeDeliveryContext } from './lifecycle/entry-updates/delivery-route.ts';
export { updateLastRoute } from './lifecycle/entry-updates/last-route.ts';
export { markMemoryFlushed } from './lifecycle/entry-updates/memory-flush-mark.ts';
export { recordSessionMetaFromInbound } from './lifecycle/entry-updates/record-inbound-meta.ts';
export { setSdkSessionId } from './lifecycle/entry-updates/sdk-session.ts';
export {
  type NormalizedUsage,
  persistSessionUsageUpdate,
  type SessionUsageUpdate,
} from './lifecycle/entry-updates/session-usage.ts';
export {
  type ForkedSession,
  forkSessionFromParent,
  type ParentEntry,
} from './lifecycle/fork/fork-session.ts';
export type { InitSessionStateParams, LifecycleConfig } from './lifecycle/init/init-request.ts';
export type { SessionInitResult } from './lifecycle/init/init-result.ts';
export { initSessionState } from './lifecycle/init/init-session-state.ts';
export {
  appendAssistantMessageToSessionTranscript,
  type MirrorParams,
  type MirrorResult,
} from './lifecycle/mirror-delivery.ts';
export type { MomentParams } from './lifecycle/moment.ts';
export { type DeleteSessionResult, deleteSession } from './lifecycle/remove/delete-session.ts';
export { type PrunedSession, type PruneReport, pruneSessions } from './lifecycle/remove/prune-sessions.ts';
export type { ModelAliasIndex } from './lifecycle/reset/model-aliases.ts';
export { type ModelCatalogue, type ModelSelection, readModelHint } from './lifecycle/reset/model-hint.ts';
export { FOREIGN_FIELDS_CLEARED, RESET_RULES, type ResetRule } from './lifecycle/reset/reset-fields.ts';
export { applyResetModelOverride, type ResetModelResult } from './lifecycle/reset/reset-model.ts';
export { type ResetSessionResult, resetSession } from './lifecycle/reset/reset-session.ts';
export { resolveSession, type SessionName } from './lifecycle/resolve-session.ts';
export type { PlaceParams } from './lifecycle/session-place.ts';
export { type ChatType, normalizeChatType } from './message/chat-type.ts';
export type { MsgContext, TemplateContext } from './message/msg-context.ts';
export { isAuthorizedSender, type SenderContext } from './policy/authorized-sender.ts';
export { DEFAULT_RESET_AT_HOUR, resolveDailyResetAtMs } from './policy/daily-reset.ts';
export { evaluateSessionFreshness, type SessionFreshness } from './policy/freshness.ts';
export {
  DEFAULT_MEMORY_FLUSH_SOFT_TOKENS,
  DEFAULT_RESERVE_TOKENS_FLOOR,
  type MemoryFlushConfig,
  type MemoryFlushSettings,
  resolveMemoryFlushSettings,
  shouldRunMemoryFlush,
} from './policy/memory-flush.ts';
export {
  DEFAULT_QUEUE_CAP,
  DEFAULT_QUEUE_DEBOUNCE_MS,
  DEFAULT_QUEUE_DROP,
  DEFAULT_QUEUE_MODE,
  normalizeQueueDropPolicy,
  normalizeQueueMode,
  type QueueConfig,
  type QueueDropPolicy,
  type QueueMode,
  type QueueSettings,
  resolveQueueSettings,
  SESSION_QUEUE_MODES,
} from './policy/queue-settings.ts';
export {
  DEFAULT_IDLE_MINUTES,
  DEFAULT_RESET_MODE,
  resolveChannelResetConfig,
  resolveSessionResetPolicy,
  resolveSessionResetType,
  resolveThreadFlag,
  type SessionResetPolicy,
  type SessionResetType,
} from './policy/reset-policy.ts';
export { DEFAULT_RESET_TRIGGERS, matchResetTrigger, type ResetTriggerMatch } from './policy/reset-trigger.ts';
export {
  DEFAULT_PRUNE_MAX_AGE_MS,
  DEFAULT_PRUNE_MAX_ENTRIES,
  type PruneDecision,
  type PruneReason,
  selectEntriesToPrune,
} from './policy/retention.ts';
export { normalizeSendPolicy, resolveSendPolicy } from './policy/send-policy.ts';
export type {
  SessionConfig,
  SessionResetConfig,
  SessionResetMode,
  SessionSendPolicyConfig,
  SessionSendPolicyDecision,
  SessionSendPolicyRule,
} from './policy/session-config.ts';
export {
  type ParsedSessionLabel,
  parseSessionLabel,
  SESSION_LABEL_MAX_LENGTH,
} from './policy/session-label.ts';
export type { FileStoreOptions } from './store/change-store.ts';
export type {
  SessionStore,
  StoreChange,
  StoreDraft,
  StoredEntry,
  StoredSession,
  UnreadableSession,
} from './store/contract.ts';
export { clearSessionStoreCacheForTest } from './store/document-cache.ts';
export { openFileSessionStore } from './store/file-store.ts';
export { lookIntoSessionStore } from './store/look-into-store.ts';
export { openMemorySessionStore } from './store/memory-store.ts';
export {
  loadSessionStore,
  readSessionUpdatedAt,
  type SessionStoreRecord,
  saveSessionStore,
  updateSessionStore,
  updateSessionStoreEntry,
  withSessionStoreLock,
} from './store/store-by-path.ts';
export { TranscriptBuilder } from './transcript/builder.ts';
export {
  composeDeliveryMirror,
  composeEntry,
  composeHeader,
  composeLine,
  composeUserMessage,
  type DeliveredMessage,
  type EntryDraft,
  type EntryPlace,
  type HeaderParts,
  type MessageContent,
  TRANSCRIPT_VERSION,
  type TranscriptMessage,
} from './transcript/compose.ts';
export { type Context, contextOf } from './transcript/context.ts';
export {
  type EntryKind,
  type EntryRole,
  FLAG,
  type TokenUsage,
  type ToolCallRef,
  type ToolResultRef,
  type TranscriptEntry,
  type TranscriptHeader,
} from './transcript/entry.ts';
export {
  extractSessionText,
  extractSpokenText,
  formatSpokenText,
  type SpokenText,
} from './transcript/extract.ts';
export { type DialectName, ESTIMATED_BY } from './transcript/formats/dialect.ts';
export { type LineSink, LineSplitter, MAX_LINE_BYTES } from './transcript/lines.ts';
export { type LoweredUsage, planLoweredUsage } from './transcript/lowered-usage.ts';
export {
  answeredIdsOf,
  callIdsOf,
  type ModelMessage,
  modelMessagesOf,
  sideOf,
} from './transcript/model-messages.ts';
export { findRefusals, type Refusal } from './transcript/provider-rules.ts';
export { redactSecrets } from './transcript/redact.ts';
export { planRelinking, type Relinking } from './transcript/relink.ts';
export { asciiJson, fromByteText, toByteText } from './transcript/rewrite/byte-text.ts';
export {
  type ElementPlace,
  findMember,
  isArrayAt,
  isObjectAt,
  isStringAt,
  listElements,
  listMembers,
  type MemberPlace,
  seekMembers,
  skipSpace,
} from './transcript/rewrite/json-text.ts';
export { lowerUsage } from './transcript/rewrite/lower-usage.ts';
export { relinkedFieldsOf } from './transcript/rewrite/relinked-fields.ts';
export { type FieldValue, replaceTopLevelFields } from './transcript/rewrite/replace-fields.ts';
export { Splice } from './transcript/rewrite/splice.ts';
export {
  type Calibration,
  type ContextSize,
  type ContextTokens,
  calibrate,
  contextCharacters,
  contextTokens,
  estimateTokens,
  IMAGE_CHARACTERS,
  measureContext,
  type TokenBasis,
  tokensOfUsage,
} from './transcript/tokens.ts';
export { DANGLING, type LineProblem, NO_PARENT, Transcript } from './transcript/transcript.ts';
export { type ActivePath, activePath, childrenOf, leafOf } from './transcript/tree.ts';
export { hasTools, type Turn, turnsOf } from './transcript/turns.ts';
export {
  type AppendedEntry,
  type AppendOptions,
  type AppendResult,
  appendToTranscript,
  openTranscriptForAppend,
  type TranscriptAppender,
} from './transcript-file/append.ts';
export type { BackwardLine } from './transcript-file/backward-lines.ts';
export { LineCopier } from './transcript-file/copy-lines.ts';
export { createTranscript, ensureTranscript, type NewTranscript } from './transcript-file/create.ts';
export {
  emitSessionTranscriptUpdate,
  onSessionTranscriptUpdate,
  type TranscriptUpdate,
  type TranscriptUpdateListener,
} from './transcript-file/events.ts';
export { readFileLinesBackwards } from './transcript-file/file-lines-backwards.ts';
export { readFileEnds, readFileStart } from './transcript-file/file-start.ts';
export { withTranscriptLock } from './transcript-file/lock.ts';
export { repairTranscriptHeader } from './transcript-file/repair-header.ts';
export { insertLines, type Replacement, replaceTranscript } from './transcript-file/replace-transcript.ts';
export { scanOpenTranscript, scanTranscriptFile } from './transcript-file/scan.ts';
export {
  buildSessionFileEntry,
  listSessionFiles,
  type SessionFileEntry,
} from './transcript-file/session-file-entry.ts';
export type { TailState } from './transcript-file/tail.ts';
