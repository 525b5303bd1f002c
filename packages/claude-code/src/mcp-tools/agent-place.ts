import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OpenBotError, resolveDefaultSessionStorePath } from '@openbot/sessions';
import { resolveAgentDatabasePath, resolveAgentDir } from '@openbot/sessions/layout';
import { findRealPath, isWithin } from '../repo/real-path.ts';
import type { McpScope } from './mcp-options.ts';

/** Where an agent's conversations are. */
export interface AgentPlace {
  readonly agentId: string;
  /** The folder that nothing is read outside of, links resolved. */
  readonly root: string;
  readonly storePath: string;
  /** Undefined where no OpenClaw of the SQLite era ran. */
  readonly databasePath: string | undefined;
}

/** @throws OpenBotError PATH_ESCAPES_FOLDER where a link leads to another agent's files, or out of this one's */
export function locateAgent({ agentId, stateDir }: Pick<McpScope, 'agentId' | 'stateDir'>): AgentPlace {
  const folder = resolveAgentDir(agentId, { stateDir });
  const root = findRealPath(folder);
  const agents = findRealPath(join(stateDir, 'agents'));
  if (isWithin(agents, root) && (dirname(root) !== agents || basename(root).toLowerCase() !== agentId)) {
    throw leadsOut(folder, `the folder of agent ${agentId}`);
  }
  const databasePath = resolveAgentDatabasePath(agentId, { stateDir });
  const place = { agentId, root, storePath: resolveDefaultSessionStorePath(agentId, { stateDir }) };
  assertInside(place, dirname(place.storePath));
  assertInside(place, place.storePath);
  if (!existsSync(databasePath)) return { ...place, databasePath: undefined };
  assertInside(place, databasePath);
  return { ...place, databasePath };
}

/** Follows links: what is read must be among the agent's own files. */
export function assertInside({ root }: Pick<AgentPlace, 'root'>, path: string): void {
  if (!isWithin(root, findRealPath(path))) throw leadsOut(path, root);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function leadsOut(path: string, folder: string): OpenBotError {
  return new OpenBotError('PATH_ESCAPES_FOLDER', `${path} leads out of ${folder} through a link`, {
    hint: 'Find out who made that link, and remove it.',
  });
}
