import { join, resolve } from 'node:path';
import { DEFAULT_AGENT_ID, OpenBotError, parseAgentSessionKey, resolveStateDir } from '@openbot/sessions';
import { canonicalizeSessionKey, resolveAgentIdFromSessionKey } from '@openbot/sessions/key';
import { resolveAgentFolderName, resolveUserPath } from '@openbot/sessions/layout';
import { resolveRepo } from '../repo/resolve-repo.ts';
import { toIsoTime } from './iso-time.ts';
import type { KnownSessions, McpOptions, McpScope, Precomputed } from './mcp-options.ts';

/**
 * @throws OpenBotError REPO_NOT_FOUND; OpenBotError PATH_ESCAPES_FOLDER for an agent that is no plain name,
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
    known: takeOwn(options.precomputed, repoPath),
    runSessionId: isGiven(options.runSessionId) ? options.runSessionId : undefined,
    env,
  };
}

/** A key of the agent, in the spelling that we write. */
export function readOwnKey(sessionKey: string, agentId: string): string {
  const key = canonicalizeSessionKey(sessionKey);
  const owner = parseAgentSessionKey(key)?.agentId;
  // One that only looks like an agent's is refused.
  if (owner === undefined) resolveAgentIdFromSessionKey(key);
  if (owner === undefined || owner === agentId) return key;
  throw new OpenBotError(
    'AGENT_MISMATCH',
    `This server knows the sessions of agent ${agentId}, and no others`,
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

/** A blank one is none. */
export function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}
