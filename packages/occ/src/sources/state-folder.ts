import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  AGENT_DATABASE_NAME,
  AGENT_ID_ENV_NAMES,
  isValidAgentId,
  OPENCLAW_STATE,
  resolveAgentId,
  resolveStateDir,
  type StateDirConvention,
} from '@openbot/sessions';
import { AgentNotFoundError, UsageError } from '../errors.ts';
import type { SearchPlace } from './found-session.ts';
import { expandPath, isFolder, readFolderNames } from './look-at-disk.ts';

/** As OpenClaw's own, and before it the variable of this program. */
export const OCC_STATE: StateDirConvention = {
  ...OPENCLAW_STATE,
  envNames: ['OCC_STATE_DIRECTORY', ...OPENCLAW_STATE.envNames],
};

/** Whether somebody said which state folder it is. */
export function isStateFolderNamed(place: SearchPlace): boolean {
  return namedStateFolder(place) !== undefined;
}

/** The state folder of OpenClaw. One that `--state-dir` names must be there. */
export function resolveStateFolder(place: SearchPlace): string {
  const named = namedStateFolder(place);
  if (named === undefined) return resolveStateDir({ env: place.env, convention: OCC_STATE });
  const folder = expandPath(named, place);
  if (isGiven(place.stateDirFlag) && !isFolder(folder)) {
    throw new UsageError(
      existsSync(folder) ? `${folder} is not a folder` : `The state folder ${folder} does not exist`,
      'Check the path after --state-dir; it is the folder that holds agents/, such as ~/.openclaw',
    );
  }
  return folder;
}

function namedStateFolder({ stateDirFlag, stateDirConfigured, env }: SearchPlace): string | undefined {
  return [stateDirFlag, ...OCC_STATE.envNames.map((name) => env[name]), stateDirConfigured].find(isGiven);
}

export function listAgentIds(stateFolder: string): string[] {
  return readFolderNames(join(stateFolder, 'agents')).sort();
}

/** Where a current OpenClaw keeps the sessions of an agent. */
export function databasePathOf(stateFolder: string, agentId: string): string {
  return join(stateFolder, 'agents', agentId, 'agent', AGENT_DATABASE_NAME);
}

export function sessionsFolderOf(stateFolder: string, agentId: string): string {
  return join(stateFolder, 'agents', agentId, 'sessions');
}

/** Whose database it is, where it stands in a state folder. */
export function readDatabasePlace(path: string): { agentId: string; stateFolder: string } | undefined {
  const parts = path.split(sep);
  const [agents, agentId, agent, name] = parts.slice(-4);
  if (agents !== 'agents' || agent !== 'agent' || name !== AGENT_DATABASE_NAME) return undefined;
  if (!isValidAgentId(agentId)) return undefined;
  return { agentId: agentId!, stateFolder: parts.slice(0, -4).join(sep) || sep };
}

/** What a database that stands in no state folder has beside it for the backups of its sessions. */
export const OWN_FOLDER_ENDING = '.sessions';

/**
 * The agents to look at, as their folders are named. An agent that somebody named must be there; `main`, which nobody
 * did, need not.
 */
export function resolveAgents(place: SearchPlace, stateFolder: string): string[] {
  if (isGiven(place.agentFlag) && place.allAgents) {
    throw new UsageError('--agent and --all-agents contradict each other', 'Leave one of them out');
  }
  if (place.allAgents || (place.source === 'all' && !isGiven(place.agentFlag))) {
    return listAgentIds(stateFolder);
  }
  const { agentFlag: flag, agentConfigured: configured, env } = place;
  const named = [flag, ...AGENT_ID_ENV_NAMES.map((name) => env[name]), configured].find(isGiven);
  const agentId = resolveAgentId({ flag, configured, env });
  if (named === undefined || isFolder(join(stateFolder, 'agents', agentId))) return [agentId];
  const available = listAgentIds(stateFolder);
  const asWritten = available.find((id) => id === named.trim());
  if (asWritten !== undefined) return [asWritten];
  throw new AgentNotFoundError(`Agent '${named.trim()}' not found in ${stateFolder}`, available);
}

export function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}
