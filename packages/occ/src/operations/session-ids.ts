import { join } from 'node:path';
import { transcriptFileName } from '@openbot/sessions';
import type { SearchPlace } from '../sources/found-session.ts';
import { resolveSession } from '../sources/resolve-session.ts';
import { resolveStateFolder, sessionsFolderOf } from '../sources/state-folder.ts';

/** Where the running process looks when its caller says nothing else. */
export function defaultPlace(agentId?: string | undefined): SearchPlace {
  return { env: process.env, cwd: process.cwd(), ...(agentId === undefined ? {} : { agentFlag: agentId }) };
}

/** The full id of the session that a name means: id, beginning of one, session key, label or path; else the current one. */
export async function resolveSessionId(sessionId: string | undefined, agentId?: string): Promise<string> {
  return (await resolveSession(defaultPlace(agentId), sessionId)).session.sessionId;
}

/** Where an OpenClaw session's transcript is, whether it exists or not. */
export function getSessionPath(sessionId: string, agentId: string): string {
  return join(
    sessionsFolderOf(resolveStateFolder(defaultPlace(agentId)), agentId),
    transcriptFileName(sessionId),
  );
}

/** The id of the session that an agent is at, or was last. */
export async function getCurrentSession(agentId: string): Promise<string> {
  return (await resolveSession(defaultPlace(agentId))).session.sessionId;
}
