/** `@openbot/sessions`: what most callers need. The other entry points of the package are in `exports/`. */

// Failures

export { type ErrorCode, isOpenBotError, OpenBotError } from './errors.ts';

// Messages, as channels pass them on

export type { ChatType } from './message/chat-type.ts';
export type { MsgContext } from './message/msg-context.ts';

// Session keys: the addresses of conversations

export { buildAgentMainSessionKey, buildAgentPeerSessionKey } from './key/build.ts';
export { resolveGroupSessionKey } from './key/group.ts';
export {
  DEFAULT_ACCOUNT_ID,
  DEFAULT_AGENT_ID,
  DEFAULT_MAIN_KEY,
  normalizeAgentId,
  normalizeMainKey,
} from './key/normalize.ts';
export { parseAgentSessionKey } from './key/parse.ts';
export { resolveSessionKey } from './key/resolve.ts';

// Where state is

export {
  resolveDefaultSessionStorePath,
  resolveSessionTranscriptPath,
  resolveSessionTranscriptsDirForAgent,
  resolveStorePath,
} from './layout/paths.ts';
export { resolveSessionFilePath } from './layout/session-file.ts';
export { resolveAgentId, resolveStateDir } from './layout/state-dir.ts';

// Stores: the entry of each session

export type { DeliveryContext } from './entry/delivery-context.ts';
export { readSdkSessionId } from './entry/read-session-entry.ts';
export type { RunAbortCause, SessionEntry } from './entry/session-entry.ts';
export type { SessionSkillSnapshot, SessionSystemPromptReport } from './entry/snapshots.ts';
export type { SessionStore, StoredEntry, StoredSession } from './store/contract.ts';
export { clearSessionStoreCacheForTest, forgetSessionStores } from './store/document-cache.ts';
export { lookIntoSessionStore, openFileSessionStore } from './store/file-store.ts';
export { openMemorySessionStore } from './store/memory-store.ts';
export {
  loadSessionStore,
  readSessionUpdatedAt,
  saveSessionStore,
  updateSessionStore,
  updateSessionStoreEntry,
  withSessionStoreLock,
} from './store/store-by-path.ts';

// Transcripts: the lines of each session

export { appendAssistantMessageToSessionTranscript } from './lifecycle/mirror-delivery.ts';
export { listenToProgress, type Progress, reportProgress } from './progress.ts';
export { contextTokens } from './transcript/context/tokens.ts';
export type { TranscriptEntry } from './transcript/entry.ts';
export { redactSecrets } from './transcript/redact/redact.ts';
export { Transcript } from './transcript/transcript.ts';
export { activePath } from './transcript/tree/tree.ts';
export { turnsOf } from './transcript/tree/turns.ts';
export { appendToTranscript } from './transcript-file/append.ts';
export { createTranscript } from './transcript-file/create.ts';
export {
  emitSessionTranscriptUpdate,
  onSessionTranscriptUpdate,
  type TranscriptUpdate,
} from './transcript-file/events.ts';
export { scanTranscriptFile } from './transcript-file/scan.ts';

// Lifecycle: from the first message to the archive

export { compactSession } from './lifecycle/compact/compact-session.ts';
export { incrementCompactionCount, markMemoryFlushed } from './lifecycle/entry-updates/compaction-count.ts';
export { recordSessionMetaFromInbound, updateLastRoute } from './lifecycle/entry-updates/inbound-record.ts';
export { persistRunOutcome, type RunOutcome } from './lifecycle/entry-updates/run-outcome.ts';
export { persistSessionUsageUpdate, setSdkSessionId } from './lifecycle/entry-updates/session-usage.ts';
export { forkSessionFromParent } from './lifecycle/fork/fork-session.ts';
export type { InitSessionStateParams, LifecycleConfig } from './lifecycle/init/init-request.ts';
export type { SessionInitResult } from './lifecycle/init/init-result.ts';
export { initSessionState } from './lifecycle/init/init-session-state.ts';
export { deleteSession } from './lifecycle/remove/delete-session.ts';
export { pruneSessions } from './lifecycle/remove/prune-sessions.ts';
export { startNextEntry } from './lifecycle/reset/reset-fields.ts';
export { applyResetModelOverride } from './lifecycle/reset/reset-model.ts';
export { resetSession } from './lifecycle/reset/reset-session.ts';
export { returnToSession } from './lifecycle/reset/return-to-session.ts';
export { resolveSession } from './lifecycle/resolve-session.ts';

// Policies: decisions about a session, with the time as an argument

export { resolveDailyResetAtMs } from './policy/daily-reset.ts';
export { evaluateSessionFreshness } from './policy/freshness.ts';
export { shouldRunMemoryFlush } from './policy/memory-flush.ts';
export { resolveSendPolicy } from './policy/send-policy.ts';
export type { SessionConfig } from './policy/session-config.ts';
export { parseSessionLabel, SESSION_LABEL_MAX_LENGTH } from './policy/session-label.ts';
