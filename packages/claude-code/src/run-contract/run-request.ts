import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { McpOptions } from '../mcp-tools/mcp-options.ts';
import type { AskModel, SelectionSettings, SessionSelection } from '../select/selection.ts';
import type { RunAction, RunEvent } from './run-event.ts';

/** A server that Claude Code starts or connects to; `sdk` is one inside this process, made by the Agent SDK. */
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

/** What is known when a run starts. */
export interface RunContext {
  readonly sessionId: string;
  readonly action: RunAction;
  readonly agentId: string;
  readonly repoPath: string;
  readonly stateDir: string;
  /** Where the session was selected: those that it was selected from. */
  readonly sessions?: readonly DiscoveredSession[];
}

/** What the tools of the agent are about, beside the repository and the agent. */
export type AgentToolsSettings = Pick<McpOptions, 'sendMessage' | 'sessionKey' | 'workspace'>;

/** Which session a run goes on in. */
export type SessionChoice =
  /** `fork`: in a copy of it under an id of its own. The session itself stays as it is, and may be open elsewhere. */
  | { readonly action: 'resume' | 'fork'; readonly sessionId: string }
  | { readonly action: 'fresh' }
  /** As `selectSession` decided. `queue` is decided anew when the repository is free. */
  | SessionSelection;

export interface RunRequest {
  readonly task: string;
  readonly repoPath: string;
  readonly agentId: string;
  /** Where registries and locks are. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** The whole environment of Claude Code, git and gh. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: by the label, else by `selectSession`. */
  readonly session?: SessionChoice;
  /** Names the session to go on with; a fresh one gets it. A blank one is none. */
  readonly label?: string;
  /** What the session may cost in all its runs together. Default: what it had before; a fresh one has no limit. */
  readonly maxBudgetUsd?: number;
  /**
   * How long it stays open for follow-ups. Default: 30 minutes; 0 ends it with its last turn. What it left at work in the
   * background then has 15 seconds.
   */
  readonly idleMs?: number;
  /** False: an idle run keeps its repository although another one waits for it. */
  readonly makesRoom?: boolean;
  /** After this time without an answer a permission is denied. Default: 5 minutes. */
  readonly permissionTimeoutMs?: number;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
  /** False: SIGTERM, SIGINT and SIGHUP of this process are the caller's to handle. Default: they abort the run first. */
  readonly handlesSignals?: boolean;
  readonly onEvent?: (event: RunEvent) => void;

  readonly selection?: {
    readonly config?: SelectionSettings;
    readonly askModel?: AskModel;
    readonly log?: (line: string) => void;
  };

  readonly model?: string;
  /** Follows Claude Code's own instructions. */
  readonly appendSystemPrompt?: string;
  /** Default: `default`, which asks for whatever no rule allows. */
  readonly permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'auto';
  /** Rules of what runs unasked: `Read`, `Bash(git status:*)`. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** The most rounds of calls in one turn. */
  readonly maxTurns?: number;
  /** Default: all, as in the terminal. None: nothing of the person's or the repository's own settings. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /**
   * The tools of `openbot mcp`, served by this process. Those that only look are allowed unasked, those about conversations
   * where `sessionKey` names one, and sending a message where there is a way to. Default: they are there; false: not.
   */
  readonly agentTools?: AgentToolsSettings | false;
  /** Servers beside them. Those outside this process are handed over in a file that only this user can read. */
  readonly mcpServers?: McpServers | ((context: RunContext) => McpServers | Promise<McpServers>);
  /** Default: the one that the Agent SDK brings. */
  readonly pathToClaudeCodeExecutable?: string;
}

export const DEFAULT_IDLE_MS = 30 * 60_000;
export const DEFAULT_PERMISSION_TIMEOUT_MS = 5 * 60_000;
