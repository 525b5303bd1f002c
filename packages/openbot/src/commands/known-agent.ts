import { normalizeAgentId, OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { SessionFolder } from '../kept-sessions/contract.ts';

/** Throws AGENT_NOT_FOUND where none of the folders has the agent. */
export function assertKnown(
  folders: readonly Pick<SessionFolder, 'agentIds' | 'stateDir' | 'configPath'>[],
  agentId: string,
): void {
  const agentIds = [...new Set(folders.flatMap((folder) => folder.agentIds))];
  if (agentIds.includes(agentId)) return;
  const nearest = findNearest(agentId, agentIds);
  const where = folders.map(({ configPath, stateDir }) => configPath ?? stateDir).join(', ');
  throw new OpenBotError('AGENT_NOT_FOUND', `There is no agent ${agentId} in ${where}`, {
    hint: nearest === undefined ? `There are: ${agentIds.join(', ')}` : `Did you mean ${nearest}?`,
    details: { agentIds },
  });
}

/** The same, of state folders. For commands that found nothing of an agent. */
export async function assertKnownIn(
  stateDirs: readonly string[],
  agent: string,
  place: { readonly env: Environment; readonly cwd: string },
): Promise<void> {
  const { openSessionFolder } = await import('../kept-sessions/open-session-folder.ts');
  const folders = await Promise.all(stateDirs.map((stateDir) => openSessionFolder(stateDir, place)));
  assertKnown(folders, normalizeAgentId(agent));
}
