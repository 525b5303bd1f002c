import { accessSync, constants } from 'node:fs';
import type { StoredEntry } from '@openbot/sessions';
import type { ResolvedAgent } from '../../config/agents.ts';
import { TOOLS } from '../../tools/all.ts';
import { allowedTools } from '../../tools/allowed-tools.ts';

/** Whether the agent may look but not change anything: no tool that could is allowed, or its workspace cannot be written to. */
export function isReadOnlySession(
  entry: Pick<StoredEntry, 'execSecurity' | 'execAsk'>,
  agent: Pick<ResolvedAgent, 'tools' | 'workspaceDir'>,
): boolean {
  const allowed = allowedTools(entry, agent);
  if (!TOOLS.some(({ name, changes }) => changes && allowed.includes(name))) return true;
  try {
    accessSync(agent.workspaceDir, constants.W_OK);
    return false;
  } catch (error) {
    // A workspace that does not exist yet is made when it is written to.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
