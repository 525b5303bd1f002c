export { OpenBotError } from '@openbot/sessions';
export { claudeProjectSlug as repoPathToSlug } from '@openbot/sessions/layout';
export { type Palette, printable } from '@openbot/sessions/terminal-text';
export {
  type DiscoverOptions,
  discoverAllSessions,
  discoverSessions,
} from './discover/discover-sessions.ts';
export type { DiscoveredSession } from './discover/discovered-session.ts';
export { isOwnedBy } from './discover/discovered-session.ts';
export { formatSessionList, type ListFormatOptions } from './discover/format-session-list.ts';
export type { ScanEvents, ScanOptions, ScanProgress } from './discover/scan-folders.ts';
export { type AttachedTools, attachTools, type McpSdkServer } from './mcp-server/attach-tools.ts';
export { type McpServing, type ServeOptions, type ServerOptions, serveMcp } from './mcp-server/serve-mcp.ts';
export type {
  McpOptions,
  OutgoingMessage,
  Precomputed,
  SendMessage,
} from './mcp-tools/mcp-options.ts';
export { MCP_SERVER_NAME, MCP_TOOL_NAMES, type McpToolName } from './mcp-tools/tool-names.ts';
export {
  formatProjectStatus,
  type StatusFormatOptions,
} from './project-status/format-project-status.ts';
export { type GatherOptions, gatherProjectStatus } from './project-status/gather-project-status.ts';
export type {
  ChangeCounts,
  CommitSummary,
  DocsStatus,
  GithubStatus,
  GitStatus,
  ProjectStatus,
  StatusGap,
} from './project-status/project-status.ts';
export { type ProjectBranch, readProjectBranch } from './project-status/read-git.ts';
export { isRunning } from './registry/is-running.ts';
export type { RegisteredSession, RunResult } from './registry/registered-session.ts';
export {
  readAllRegistries,
  readRegistry,
  resolveRegistryPath,
  updateRegistry,
} from './registry/registry-file.ts';
export { resolveProjectsFolder } from './repo/projects-folder.ts';
export { type Repo, resolveRepo } from './repo/resolve-repo.ts';
export { ClaudeRun, startRun } from './run/claude-run.ts';
export type { PermissionAnswer, PermissionRequest, PermissionSettlement } from './run-contract/permission.ts';
export type { RunAction, RunEvent, RunOutcome } from './run-contract/run-event.ts';
export {
  type AgentToolsSettings,
  DEFAULT_IDLE_MS,
  DEFAULT_PERMISSION_TIMEOUT_MS,
  type McpServerSettings,
  type McpServers,
  type RunContext,
  type RunRequest,
  type SessionChoice,
} from './run-contract/run-request.ts';
export { markOrigin } from './scan/first-message.ts';
export type { JsonlHeader } from './scan/jsonl-header.ts';
export { type ParseHeaderOptions, parseJsonlHeader } from './scan/parse-header.ts';
export {
  type AnthropicModelOptions,
  makeAnthropicModel,
  resolveModelName,
} from './select/anthropic-model.ts';
export { type Assessment, type AssessOptions, assessTaskRelevance } from './select/assess-relevance.ts';
export { formatSelection, type SelectionFormatOptions } from './select/format-selection.ts';
export type { ScoringSituation } from './select/score-parts.ts';
export { scoreSession } from './select/score-session.ts';
export { selectSession } from './select/select-session.ts';
export type { SelectionRequest, SelectionSettings } from './select/selection.ts';
export {
  type AskModel,
  type Ceiling,
  DEFAULT_SELECTION,
  type Relevance,
  type ScoreParts,
  type SessionScore,
  type SessionSelection,
  type SessionSelectionConfig,
} from './select/selection.ts';
export { resolveSelectionConfig } from './select/selection-config.ts';
