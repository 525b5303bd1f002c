import { join } from 'node:path';
import { STORE_FILE_NAME } from './file-name.ts';
import { resolveAgentFolderName, transcriptFileName } from './safe-id.ts';
import { type Environment, resolveStateDir, resolveUserPath } from './state-dir.ts';

/** The database in which a current OpenClaw keeps the sessions of an agent. */
export const AGENT_DATABASE_NAME = 'openclaw-agent.sqlite';

/** Where a path is computed from. Without `stateDir` the program's own state folder counts. */
export interface LayoutOptions {
  stateDir?: string;
  env?: Environment;
}

export function resolveAgentDir(agentId?: string, options: LayoutOptions = {}): string {
  const stateDir = resolveStateDir({ flag: options.stateDir, env: options.env });
  return join(stateDir, 'agents', resolveAgentFolderName(agentId));
}

export function resolveSessionTranscriptsDirForAgent(agentId?: string, options: LayoutOptions = {}): string {
  return join(resolveAgentDir(agentId, options), 'sessions');
}

export function resolveDefaultSessionStorePath(agentId?: string, options: LayoutOptions = {}): string {
  return join(resolveSessionTranscriptsDirForAgent(agentId, options), STORE_FILE_NAME);
}

/** It is there only if an OpenClaw of the SQLite era ran. */
export function resolveAgentDatabasePath(agentId?: string, options: LayoutOptions = {}): string {
  return join(resolveAgentDir(agentId, options), 'agent', AGENT_DATABASE_NAME);
}

export function resolveSessionTranscriptPath(
  sessionId: string,
  agentId?: string,
  topicId?: string | number,
  options: LayoutOptions = {},
): string {
  const name = transcriptFileName(sessionId, topicId);
  return join(resolveSessionTranscriptsDirForAgent(agentId, options), name);
}

/** A configured store path, with `{agentId}` and `~` expanded; the agent's own `sessions.json` when none is configured. */
export function resolveStorePath(store?: string, options: LayoutOptions & { agentId?: string } = {}): string {
  if (store === undefined || store.trim() === '') {
    return resolveDefaultSessionStorePath(options.agentId, options);
  }
  const folder = resolveAgentFolderName(options.agentId);
  return resolveUserPath(store.replaceAll('{agentId}', folder), options.env ?? process.env);
}
