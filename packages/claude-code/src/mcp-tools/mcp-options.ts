import type { Environment } from '@openbot/sessions/layout';
import type { DiscoveredSession } from '../discover/discovered-session.ts';

/** What an MCP server is about: one repository, one agent, perhaps one conversation. */
export interface McpOptions {
  readonly repoPath: string;
  /** Default: `main`. */
  readonly agentId?: string;
  /** Where agents, registries and the index are. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** The agent's working folder, whose `memory/*.md` is searched. Default: `workspace` in the state folder. */
  readonly workspace?: string;
  /** The conversation that asked for the run. Only this one can then be read; without it any of the agent's. */
  readonly sessionKey?: string;
  /** Delivers a message to whoever asked. */
  readonly sendMessage?: SendMessage;
  /** Known already, and used instead of looking again, for a minute. */
  readonly precomputed?: Precomputed;
  /** The Claude Code session that asks: listed first and as running, whatever was known before it began. */
  readonly runSessionId?: string;
  /** Names folders, git and gh. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** It may throw: the message then reaches the one who called the tool. */
export type SendMessage = (message: OutgoingMessage) => Promise<unknown>;

export interface OutgoingMessage {
  readonly text: string;
  readonly agentId: string;
  /** Undefined where the server was started for no conversation. */
  readonly sessionKey: string | undefined;
}

/** What was learned of a repository before a run. Sessions of another repository are not used. */
export interface Precomputed {
  readonly sessions?: readonly DiscoveredSession[];
  /** ISO 8601: when the sessions were listed. Default: when the server is made. */
  readonly asOf?: string;
}

/** Sessions of the repository, and when they were looked for. */
export interface KnownSessions {
  readonly sessions: readonly DiscoveredSession[];
  readonly asOf: string;
}

/** The options with everything decided. */
export interface McpScope {
  /** The top of the work tree, links resolved. */
  readonly repoPath: string;
  readonly agentId: string;
  readonly stateDir: string;
  readonly workspace: string;
  readonly sessionKey: string | undefined;
  readonly sendMessage: SendMessage | undefined;
  readonly known: KnownSessions | undefined;
  readonly runSessionId: string | undefined;
  readonly env: NodeJS.ProcessEnv & Environment;
}
