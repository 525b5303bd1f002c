import { dirname, join } from 'node:path';
import { resolveAgentFolderName, transcriptFileName } from '@openbot/sessions/layout';
import { loadSettings } from '../config/settings.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { listAgentIds, resolveLayout } from '../layout/state-folder.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';

/** Where the running process looks when its caller says nothing else: by its environment and the configuration. */
export async function defaultScope(agentId?: string): Promise<SearchScope> {
  const scope = scopeOfProcess(agentId);
  const { stateDirectory, defaultAgentId } = await loadSettings(scope);
  return { ...scope, stateDirConfigured: stateDirectory, agentConfigured: defaultAgentId };
}

function scopeOfProcess(agentId: string | undefined): SearchScope {
  return { env: process.env, cwd: process.cwd(), agentFlag: agentId };
}

/** The full id of the session that a name means: id, beginning of one, session key, label or path; else the current one. */
export async function resolveSessionId(sessionId: string | undefined, agentId?: string): Promise<string> {
  return (await resolveSession(await defaultScope(agentId), sessionId)).session.sessionId;
}

/**
 * Where an OpenClaw session's transcript is, whether it exists or not. Goes by the environment alone: to read the
 * configuration takes time, which a function that answers at once does not have.
 */
export function getSessionPath(sessionId: string, agentId: string): string {
  const layout = resolveLayout(scopeOfProcess(agentId));
  const asWritten = listAgentIds(layout).find((id) => id === agentId);
  const folder = dirname(layout.storePathOf(asWritten ?? resolveAgentFolderName(agentId)));
  return join(folder, transcriptFileName(sessionId));
}

/** The id of the session that an agent is at, or was last. */
export async function getCurrentSession(agentId: string): Promise<string> {
  return (await resolveSession(await defaultScope(agentId))).session.sessionId;
}
