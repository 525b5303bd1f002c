/** `@openbot/claude-code`: finds, understands, chooses and runs Claude Code sessions. */

// Failures

export { OpenBotError } from '@openbot/sessions';

// Finding sessions

export { claudeProjectSlug as repoPathToSlug } from '@openbot/sessions/layout';
export {
  type DiscoverOptions,
  discoverAllSessions,
  discoverSessions,
} from './discover/discover-sessions.ts';
export type { DiscoveredSession } from './discover/discovered-session.ts';
export { formatSessionList, type ListFormatOptions } from './discover/format-session-list.ts';
export type { ScanProgress } from './discover/scan-folders.ts';
export { type Repo, resolveRepo } from './repo/resolve-repo.ts';
export type { JsonlHeader } from './scan/jsonl-header.ts';
export { parseJsonlHeader } from './scan/parse-header.ts';

// The registry: the sessions that agents run

export type { RegisteredSession, RunResult } from './registry/registered-session.ts';
export { readRegistry, updateRegistry } from './registry/registry-file.ts';

// The status of a project

export { formatProjectStatus, type StatusFormatOptions } from './project-status/format-project-status.ts';
export { type GatherOptions, gatherProjectStatus } from './project-status/gather-project-status.ts';
export type { ProjectStatus, StatusGap } from './project-status/project-status.ts';
export { type ProjectBranch, readProjectBranch } from './project-status/read-git.ts';

// Choosing a session

export { type AnthropicModelOptions, makeAnthropicModel } from './select/anthropic-model.ts';
export { type Assessment, type AssessOptions, assessTaskRelevance } from './select/assess-relevance.ts';
export { formatSelection, type SelectionFormatOptions } from './select/format-selection.ts';
export { scoreSession } from './select/score-session.ts';
export { selectSession } from './select/select-session.ts';
export type {
  AskModel,
  SelectionRequest,
  SelectionSettings,
  SessionScore,
  SessionSelection,
  SessionSelectionConfig,
} from './select/selection.ts';
export { resolveSelectionConfig } from './select/selection-config.ts';

// Running Claude Code: start a run, send to it, hear its events, end it

export { type ClaudeRun, startRun } from './run/claude-run.ts';
export type { PermissionAnswer, PermissionRequest, PermissionSettlement } from './run-contract/permission.ts';
export type { RunAction, RunEvent, RunOutcome } from './run-contract/run-event.ts';
export type {
  AgentToolsSettings,
  McpServerSettings,
  McpServers,
  RunContext,
  RunRequest,
  SessionChoice,
} from './run-contract/run-request.ts';

// Speaking for an agent with Claude Code

export {
  type AgentMessage,
  type AgentPermission,
  AgentSession,
  type AgentSessionRequest,
  endAgentLeftovers,
} from './agent-session/agent-session.ts';
export {
  type AgentCall,
  type AgentTool,
  type AgentToolResult,
  toolNameOf,
} from './agent-session/agent-tools.ts';

// The notes of an agent

export { type MemoryFile, readMemoryFiles } from './mcp-tools/memory-files.ts';
export { cutNote, type NotePassage, type RankedPassage, rankPassages } from './mcp-tools/rank-passages.ts';

// The MCP server

export { type McpServing, type ServeOptions, serveMcp } from './mcp-server/serve-mcp.ts';
export type { McpOptions, OutgoingMessage, SearchNotes, SendMessage } from './mcp-tools/scope.ts';
export { MCP_SERVER_NAME, MCP_TOOL_NAMES, type McpToolName } from './mcp-tools/tool.ts';
