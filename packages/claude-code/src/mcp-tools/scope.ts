import { join, resolve } from 'node:path';
import { DEFAULT_AGENT_ID, OpenBotError, parseAgentSessionKey, resolveStateDir } from '@openbot/sessions';
import { canonicalizeSessionKey, resolveAgentIdFromSessionKey } from '@openbot/sessions/key';
import { type Environment, resolveAgentFolderName, resolveUserPath } from '@openbot/sessions/layout';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { resolveRepo } from '../repo/resolve-repo.ts';
import { toIsoTime } from './answer.ts';
import type { RankedPassage } from './rank-passages.ts';

/** An MCP server serves one repository and one agent, and may be confined to one conversation. */
export interface McpOptions {
  readonly repoPath: string;
  /** Default: `main`. */
  readonly agentId?: string;
  /** The state folder. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** The agent's working folder, whose `memory/*.md` is searched. Default: `workspace` in the state folder. */
  readonly workspace?: string;
  /** The conversation that requested the run. If set, no other can be read; otherwise any of the agent's. */
  readonly sessionKey?: string;
  /** Delivers a message to the requester. */
  readonly sendMessage?: SendMessage;
  /** Searches the notes in an index. Where it gives undefined, or there is none, they are read and compared by words. */
  readonly searchNotes?: SearchNotes;
  /** Whether a note, `memory/2026-11-15.md`, may be shown. Default: all. */
  readonly mayReadNote?: (name: string) => boolean;
  /** Results of an earlier discovery, used for one minute. */
  readonly precomputed?: Precomputed;
  /** The Claude Code session of the run. It is listed first and as running, whatever `precomputed` says. */
  readonly runSessionId?: string;
  /** Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** May throw: the caller of the tool receives the error message. */
export type SendMessage = (message: OutgoingMessage) => Promise<unknown>;

export interface OutgoingMessage {
  readonly text: string;
  readonly agentId: string;
  /** Undefined if the server was not started for a conversation. */
  readonly sessionKey: string | undefined;
}

/** Passages of `memory/*.md` that fit, the best first. */
export type SearchNotes = (
  query: string,
  scope: { readonly workspace: string; readonly agentId: string; readonly note: string | undefined },
) => Promise<readonly RankedPassage[] | undefined>;

/** What was found before a run. Sessions of other repositories are ignored. */
interface Precomputed {
  readonly sessions?: readonly DiscoveredSession[];
  /** ISO 8601: when the sessions were discovered. Default: when the server is created. */
  readonly asOf?: string;
}

/** Sessions of the repository, and when they were discovered. */
export interface KnownSessions {
  readonly sessions: readonly DiscoveredSession[];
  readonly asOf: string;
}

/** The options with all defaults resolved. */
export interface McpScope {
  /** The top of the work tree, links resolved. */
  readonly repoPath: string;
  readonly agentId: string;
  readonly stateDir: string;
  readonly workspace: string;
  readonly sessionKey: string | undefined;
  readonly sendMessage: SendMessage | undefined;
  readonly searchNotes: SearchNotes | undefined;
  readonly mayReadNote: ((name: string) => boolean) | undefined;
  readonly known: KnownSessions | undefined;
  readonly runSessionId: string | undefined;
  readonly env: NodeJS.ProcessEnv & Environment;
}

/**
 * @throws OpenBotError REPO_NOT_FOUND; OpenBotError PATH_ESCAPES_FOLDER for an agent id that is not a plain name,
 * AGENT_MISMATCH for a conversation of another agent
 */
export function resolveScope(options: McpOptions): McpScope {
  const env = options.env ?? process.env;
  const repoPath = resolveRepo(options.repoPath).path;
  const agentId = resolveAgentFolderName(options.agentId);
  const stateDir = resolve(resolveStateDir({ flag: options.stateDir, env }));
  const workspace = isGiven(options.workspace)
    ? resolve(resolveUserPath(options.workspace, env))
    : join(stateDir, agentId === DEFAULT_AGENT_ID ? 'workspace' : `workspace-${agentId}`);
  return {
    repoPath,
    agentId,
    stateDir,
    workspace,
    sessionKey: isGiven(options.sessionKey) ? readOwnKey(options.sessionKey, agentId) : undefined,
    sendMessage: options.sendMessage,
    searchNotes: options.searchNotes,
    mayReadNote: options.mayReadNote,
    known: takeOwn(options.precomputed, repoPath),
    runSessionId: isGiven(options.runSessionId) ? options.runSessionId : undefined,
    env,
  };
}

/** The canonical form of a key, which must belong to the agent. */
export function readOwnKey(sessionKey: string, agentId: string): string {
  const key = canonicalizeSessionKey(sessionKey);
  const owner = parseAgentSessionKey(key)?.agentId;
  // Throws for a key that looks like an agent's and is malformed.
  if (owner === undefined) resolveAgentIdFromSessionKey(key);
  if (owner === undefined || owner === agentId) return key;
  throw new OpenBotError(
    'AGENT_MISMATCH',
    `This server has access to the sessions of agent ${agentId} only`,
    {
      hint: `Name a session of agent ${agentId}, or leave the key out.`,
    },
  );
}

function takeOwn(precomputed: Precomputed | undefined, repoPath: string): KnownSessions | undefined {
  if (precomputed?.sessions === undefined) return undefined;
  return {
    sessions: precomputed.sessions.filter((session) => session.repoPath === repoPath),
    asOf: toIsoTime(precomputed.asOf) ?? new Date().toISOString(),
  };
}

/** A blank value counts as absent. */
export function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}
