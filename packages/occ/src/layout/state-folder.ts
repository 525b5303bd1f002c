import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { OpenBotError, resolveAgentId, resolveStateDir } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import {
  AGENT_DATABASE_NAME,
  AGENT_ID_ENV_NAMES,
  OPENCLAW_STATE,
  type OpenclawConfig,
  type OpenclawLayout,
  openclawLayoutOf,
  readOpenclawConfig,
  resolveOpenclawHome,
  type StateDirConvention,
} from '@openbot/sessions/layout';
import { AgentNotFoundError } from '../errors.ts';
import type { ResolvedLayout, SearchScope } from '../storage/contract/found-session.ts';
import { expandPath, isFolder, readFolderNames } from './look-at-disk.ts';

/** OpenClaw's convention, with the variable of this program first. */
export const OCC_STATE: StateDirConvention = {
  ...OPENCLAW_STATE,
  envNames: ['OCC_STATE_DIRECTORY', ...OPENCLAW_STATE.envNames],
};

/** Whether a flag, the environment or the configuration names the state folder. */
export function isStateFolderNamed(scope: SearchScope): boolean {
  return namedStateFolder(scope) !== undefined;
}

/** The state folder of OpenClaw. Throws where `--state-dir` names one that does not exist. */
export function resolveStateFolder(scope: SearchScope): string {
  const named = namedStateFolder(scope);
  if (named === undefined) return resolveStateDir({ env: scope.env, convention: OCC_STATE });
  const isOpenclaws = named === scope.env.OPENCLAW_STATE_DIR && !isGiven(scope.stateDirFlag);
  const folder = expandPath(
    named,
    isOpenclaws ? { ...scope, env: { ...scope.env, HOME: resolveOpenclawHome(scope.env) } } : scope,
  );
  if (isGiven(scope.stateDirFlag) && !isFolder(folder)) {
    throw new OpenBotError(
      'USAGE',
      existsSync(folder) ? `${folder} is not a folder` : `The state folder ${folder} does not exist`,
      { hint: 'Check the path after --state-dir; it is the folder that holds agents/, such as ~/.openclaw' },
    );
  }
  return folder;
}

function namedStateFolder({ stateDirFlag, stateDirConfigured, env }: SearchScope): string | undefined {
  return [stateDirFlag, ...OCC_STATE.envNames.map((name) => env[name]), stateDirConfigured].find(isGiven);
}

/**
 * Where OpenClaw keeps sessions, by its own configuration in the state folder. If that cannot be read, it warns and
 * returns the default folders.
 */
export function resolveLayout(scope: SearchScope): OpenclawLayout {
  const key = JSON.stringify([scope.stateDirFlag, scope.stateDirConfigured]);
  const resolved = scope.layouts?.get(key) ?? readLayout(scope);
  scope.layouts?.set(key, resolved);
  if (resolved.fault !== undefined) scope.warn?.(resolved.fault);
  return resolved.layout;
}

function readLayout(scope: SearchScope): ResolvedLayout {
  const { env, cwd } = scope;
  const stateDir = resolveStateFolder(scope);
  if (scope.ownLayout !== undefined) return { layout: scope.ownLayout };
  // OPENCLAW_CONFIG_PATH belongs to the default installation, not to a state folder that was named otherwise.
  const isOwn = !isGiven(scope.stateDirFlag) && !isGiven(env.OCC_STATE_DIRECTORY);
  let config: OpenclawConfig | undefined;
  let fault: OpenBotError | undefined;
  try {
    const own = isOwn ? env : { ...env, OPENCLAW_CONFIG_PATH: undefined };
    config = readOpenclawConfig(stateDir, own, parseJson5);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    fault = error;
  }
  return { layout: openclawLayoutOf(stateDir, config, { env, cwd }), fault };
}

/** The agents that have a folder, and the default one and those of the configuration whose store is in another one. */
export function listAgentIds(layout: OpenclawLayout): string[] {
  const { stateDir, agentIds, defaultAgentId, storePathOf } = layout;
  const inState = readFolderNames(join(stateDir, 'agents'));
  const configured = [defaultAgentId, ...agentIds].filter((id) => isFolder(dirname(storePathOf(id))));
  return [...new Set([...inState, ...configured])].sort();
}

/** The default path of an agent's database. */
export function databasePathOf(stateFolder: string, agentId: string): string {
  return join(stateFolder, 'agents', agentId, 'agent', AGENT_DATABASE_NAME);
}

/** The agent and the state folder of a database; undefined outside a state folder. */
export function readDatabasePath(path: string): { agentId: string; stateFolder: string } | undefined {
  const parts = path.split(sep);
  const [agents, agentId, agent, name] = parts.slice(-4);
  if (agents !== 'agents' || agent !== 'agent' || name !== AGENT_DATABASE_NAME) return undefined;
  if (!isValidAgentId(agentId)) return undefined;
  return { agentId: agentId!, stateFolder: parts.slice(0, -4).join(sep) || sep };
}

/** Undefined for a transcript outside a state folder. */
export function stateFolderOfTranscript(path: string): string | undefined {
  const parts = path.split(sep);
  const [agents, , sessions] = parts.slice(-4);
  return agents === 'agents' && sessions === 'sessions' ? parts.slice(0, -4).join(sep) || sep : undefined;
}

/** A database outside a state folder has a folder beside it, named with this ending, for the backups of its sessions. */
export const OWN_FOLDER_ENDING = '.sessions';

/**
 * The agents to search, as their folders are named. Throws where an agent that was named does not exist; OpenClaw's
 * default agent need not.
 */
export function resolveAgents(scope: SearchScope, layout: OpenclawLayout): string[] {
  if (isGiven(scope.agentFlag) && scope.allAgents) {
    throw new OpenBotError('USAGE', '--agent and --all-agents contradict each other', {
      hint: 'Leave one of them out',
    });
  }
  if (scope.allAgents || (scope.source === 'all' && !isGiven(scope.agentFlag))) {
    return listAgentIds(layout);
  }
  const { agentFlag: flag, agentConfigured: configured, env } = scope;
  const named = [flag, ...AGENT_ID_ENV_NAMES.map((name) => env[name]), configured].find(isGiven);
  if (named === undefined) return [layout.defaultAgentId];
  const agentId = resolveAgentId({ flag, configured, env });
  const available = listAgentIds(layout);
  if (available.includes(agentId) || isFolder(join(layout.stateDir, 'agents', agentId))) return [agentId];
  const asWritten = available.find((id) => id === named.trim());
  if (asWritten !== undefined) return [asWritten];
  throw new AgentNotFoundError(`Agent '${named.trim()}' not found in ${layout.stateDir}`, available);
}

export function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** Loads its parser at the first use. The search for sessions is synchronous, which an import is not. */
function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}
