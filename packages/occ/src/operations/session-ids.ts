import { dirname, join } from 'node:path';
import { resolveAgentFolderName, transcriptFileName } from '@openbot/sessions/layout';
import { loadSettings } from '../config/settings.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { listAgentIds, resolveLayout } from '../layout/state-folder.ts';
import type { SearchPlace } from '../storage/contract/found-session.ts';

/** Where the running process looks when its caller says nothing else: by its environment and the configuration. */
export async function defaultPlace(agentId?: string): Promise<SearchPlace> {
  const place = placeOfProcess(agentId);
  const { stateDirectory, defaultAgentId } = await loadSettings(place);
  return { ...place, stateDirConfigured: stateDirectory, agentConfigured: defaultAgentId };
}

function placeOfProcess(agentId: string | undefined): SearchPlace {
  return { env: process.env, cwd: process.cwd(), agentFlag: agentId };
}

/** The full id of the session that a name means: id, beginning of one, session key, label or path; else the current one. */
export async function resolveSessionId(sessionId: string | undefined, agentId?: string): Promise<string> {
  return (await resolveSession(await defaultPlace(agentId), sessionId)).session.sessionId;
}

/**
 * Where an OpenClaw session's transcript is, whether it exists or not. Goes by the environment alone: to read the
 * configuration takes time, which a function that answers at once does not have.
 */
export function getSessionPath(sessionId: string, agentId: string): string {
  const layout = resolveLayout(placeOfProcess(agentId));
  const asWritten = listAgentIds(layout).find((id) => id === agentId);
  const folder = dirname(layout.storePathOf(asWritten ?? resolveAgentFolderName(agentId)));
  return join(folder, transcriptFileName(sessionId));
}

/** The id of the session that an agent is at, or was last. */
export async function getCurrentSession(agentId: string): Promise<string> {
  return (await resolveSession(await defaultPlace(agentId))).session.sessionId;
}
