export { OpenBotError } from '@openbot/sessions';
export type { LineEdit, ToolAction } from './clean/line-edit.ts';
export { truncateCopy, truncateToolResult } from './clean/lines/truncate.ts';
export { truncateArguments } from './clean/lines/truncate-arguments.ts';
export type {
  ContentBlock,
  ConversationMessage,
  MessageEntry,
  MessageRole,
  ParsedSession,
  SessionEntry,
  SessionHeader,
  SessionIndexEntry,
  SessionsIndex,
  TextBlock,
  ToolCallBlock,
  UsageInfo,
} from './clean/parsed-session.ts';
export type { CleanPlan, LineReader, PlanStatistics, PlanTokens } from './clean/plan.ts';
export { planClean } from './clean/plan-clean.ts';
export { BUILT_IN_PRESETS, resolvePreset, resolveToolRemovalOptions } from './clean/presets.ts';
export {
  identifyTurnBoundaries,
  removeToolCalls,
  type ToolRemovalResult,
  type ToolRemovalStatistics,
  type TurnBoundary,
} from './clean/remove-tool-calls.ts';
export { rewriteLine } from './clean/rewrite-line.ts';
export {
  type ResolvedToolRemovalOptions,
  type ToolRemovalOptions,
  type ToolRemovalPreset,
  TRUNCATION_LIMITS,
} from './clean/tool-removal.ts';
export type { UserConfiguration } from './config/configuration.ts';
export {
  type LoadConfigurationOptions,
  loadConfiguration,
  type ResolvedConfiguration,
} from './config/load-configuration.ts';
export {
  AgentNotFoundError,
  AmbiguousSessionError,
  CloneOperationError,
  EditOperationError,
  NoSessionsError,
  OccError,
  RestoreError,
  SessionNotFoundError,
  UnknownPresetError,
} from './errors.ts';
export { listSessions } from './finding/list-sessions.ts';
export { locateSessions } from './finding/locate-sessions.ts';
export { resolveSession } from './finding/resolve-session.ts';
export type { SearchWarning } from './finding/search-warning.ts';
export {
  type CloneOptions,
  type EditOptions,
  executeClone,
  executeEdit,
  executeRestore,
  type RestoreOptions,
  type SearchOptions,
} from './library.ts';
export { createBackup, findLatestBackup, restoreFromBackup } from './operations/backup-operations.ts';
export { describeSession } from './operations/describe-session.ts';
export { findReadableSession, type ReadableSession } from './operations/readable-session.ts';
export type {
  BackupInfo,
  CloneResult,
  CloneStatistics,
  EditResult,
  EditStatistics,
  RestoreResult,
  ScheduledEditReport,
  SessionInfo,
} from './operations/results.ts';
export { getCurrentSession, getSessionPath, resolveSessionId } from './operations/session-ids.ts';
export { findFault } from './rewrite/verify-clean.ts';
export { findSessionsRoot, followingOf } from './storage/all.ts';
export type {
  FollowingStorage,
  LinesRequest,
  ReadLines,
  ReadPlace,
  TranscriptState,
} from './storage/contract/following.ts';
export type {
  FoundSession,
  ResolvedSession,
  SearchScope,
  SourceChoice,
  SourceName,
} from './storage/contract/found-session.ts';
export type { LocatedSession } from './storage/contract/located-session.ts';
export type { OpenLines, SessionLines } from './storage/contract/rewriting.ts';
export type { FiguresResult } from './storage/contract/use.ts';
export { fileFollowing } from './storage/files/following.ts';
