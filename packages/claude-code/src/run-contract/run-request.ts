import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { McpOptions } from '../mcp-tools/scope.ts';
import type { AskModel, SelectionSettings, SessionSelection } from '../select/selection.ts';
import type { RunAction, RunEvent } from './run-event.ts';

/** A server that Claude Code starts or connects to; `sdk`: inside this process, made by the Agent SDK. */
export type McpServerSettings =
  | {
      readonly type?: 'stdio';
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly type: 'sdk'; readonly name: string; readonly instance: unknown };

export type McpServers = Readonly<Record<string, McpServerSettings>>;

/** The session and scope of a run that starts. */
export interface RunContext {
  readonly sessionId: string;
  readonly action: RunAction;
  readonly agentId: string;
  readonly repoPath: string;
  readonly stateDir: string;
  /** The sessions that it was selected from, if it was. */
  readonly sessions?: readonly DiscoveredSession[];
}

/** A call of a tool, by Claude Code's names. */
export interface ToolUse {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Options of the agent's tools beside repository and agent. */
export type AgentToolsSettings = Pick<
  McpOptions,
  'sendMessage' | 'searchNotes' | 'mayReadNote' | 'sessionKey' | 'workspace'
>;

/** Which session a run uses. */
export type SessionChoice =
  /** `fork`: a copy of it with an id of its own. The session itself does not change, and may be open elsewhere. */
  | { readonly action: 'resume' | 'fork'; readonly sessionId: string }
  | { readonly action: 'fresh' }
  /** The result of `selectSession`. `queue` is decided again when the repository is free. */
  | SessionSelection;

export interface RunRequest {
  readonly task: string;
  readonly repoPath: string;
  readonly agentId: string;
  /** Contains the registries. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** The complete environment of Claude Code, git and gh. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: by the label, else by `selectSession`. */
  readonly session?: SessionChoice;
  /** Names the session to resume; a fresh one gets it. Blank means none. */
  readonly label?: string;
  /** The budget of the session over all its runs. Default: the one that it had; a fresh session has no limit. */
  readonly maxBudgetUsd?: number;
  /**
   * How long the run stays open for follow-ups. Default: 30 minutes; 0 ends it after its last turn. Background tasks
   * then get 15 seconds.
   */
  readonly idleMs?: number;
  /** False: an idle run keeps its repository even if another one waits for it. */
  readonly makesRoom?: boolean;
  /** A permission request without an answer is denied after this time. Default: 5 minutes. */
  readonly permissionTimeoutMs?: number;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
  /** False: the caller handles SIGTERM, SIGINT and SIGHUP. Default: they abort the run before they end this process. */
  readonly handlesSignals?: boolean;
  readonly onEvent?: (event: RunEvent) => void;

  readonly selection?: {
    readonly config?: SelectionSettings;
    readonly askModel?: AskModel;
    readonly log?: (line: string) => void;
  };

  readonly model?: string;
  /** Appended to Claude Code's own system prompt. */
  readonly appendSystemPrompt?: string;
  /** Default: `default`, which asks for permission unless a rule allows the call. */
  readonly permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'auto';
  /** Rules for calls without a permission request: `Read`, `Bash(git status:*)`. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Asked about every call, also those that a rule or the mode allows: why it is refused. */
  readonly findDenial?: (call: ToolUse) => string | undefined | Promise<string | undefined>;
  /** The most tool rounds in one turn. */
  readonly maxTurns?: number;
  /** Default: all, as in the terminal. Empty: neither the user's nor the repository's settings. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /**
   * The tools of `openbot mcp`, served by this process. Allowed without a request: tools that only read; those about
   * conversations if `sessionKey` names one; sending a message if `sendMessage` is given. False: no tools.
   */
  readonly agentTools?: AgentToolsSettings | false;
  /** More servers. Those outside this process are passed in a file that only this user can read. */
  readonly mcpServers?: McpServers | ((context: RunContext) => McpServers | Promise<McpServers>);
  /** Default: the executable of the Agent SDK. */
  readonly pathToClaudeCodeExecutable?: string;
}

export const DEFAULT_IDLE_MS = 30 * 60_000;
export const DEFAULT_PERMISSION_TIMEOUT_MS = 5 * 60_000;
