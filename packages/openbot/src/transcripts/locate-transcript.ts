import { dirname, isAbsolute } from 'node:path';
import { resolveSessionFilePath } from '@openbot/sessions';

interface AgentPlace {
  readonly stateDir: string;
  readonly agentId: string;
  readonly storePath: string;
}

/** Where the transcript of an entry is: beside the store of its agent. A store in memory has no place, so the usual folder counts. */
export function locateTranscript(
  { stateDir, agentId, storePath }: AgentPlace,
  { sessionId, sessionFile }: { readonly sessionId: string; readonly sessionFile?: string },
): string {
  const place = isAbsolute(storePath) ? { sessionsDir: dirname(storePath) } : { agentId, stateDir };
  return resolveSessionFilePath(sessionId, { sessionFile }, place);
}
