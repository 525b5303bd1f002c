import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_AGENT_ID, normalizeAgentId, OpenBotError, resolveAgentId } from '@openbot/sessions';
import { AGENT_ID_ENV_NAMES, type Environment, resolveUserPath } from '@openbot/sessions/layout';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { PermissionSettings } from '../permissions/contract.ts';
import type { AgentSettings, BotConfig, ExecSettings } from './bot-config.ts';
import { findMachineZone } from './machine-zone.ts';

type ConfiguredAgent = AgentSettings & {
  readonly id: string;
  readonly default?: boolean;
  readonly name?: string;
};

export function listConfigured({ agents }: BotConfig): readonly ConfiguredAgent[] {
  const listed =
    agents?.list ?? Object.entries(agents?.entries ?? {}).map(([id, settings]) => ({ ...settings, id }));
  return listed.map((agent) => ({ ...agent, id: normalizeAgentId(agent.id) }));
}

/** The one marked with `default: true`, else the first of the list, else `main`. */
export function resolveDefaultAgentId(config: BotConfig): string {
  const agents = listConfigured(config);
  return (agents.find((agent) => agent.default) ?? agents[0])?.id ?? DEFAULT_AGENT_ID;
}

/** Flag, then environment, then configuration, then `main`. Throws AGENT_NOT_FOUND. */
export function chooseAgentId(params: {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly env: Environment;
  readonly flag?: string;
}): string {
  const { config, env, flag } = params;
  const variable = flag === undefined ? AGENT_ID_ENV_NAMES.find((name) => env[name]?.trim()) : undefined;
  try {
    const agentId = resolveAgentId({ flag, env, configured: resolveDefaultAgentId(config) });
    assertAgentKnown({ ...params, agentId });
    return agentId;
  } catch (error) {
    if (variable === undefined || !(error instanceof OpenBotError)) throw error;
    throw new OpenBotError(error.code, `${variable}: ${error.message}`, { hint: error.hint, cause: error });
  }
}

/** Those of the configuration; where it lists none, `main` and those that have a folder. */
export function listAgentIds(config: BotConfig, stateDir: string): readonly string[] {
  const configured = listConfigured(config).map(({ id }) => id);
  if (configured.length > 0) return configured;
  return [...new Set([DEFAULT_AGENT_ID, ...listFolders(join(stateDir, 'agents'))])];
}

/**
 * Whether several agents keep their entries in one store. A key that names no agent (`global`) would then be one entry of
 * all of them, with runs that exclude each other for one agent only.
 */
export function shareOneStore(config: BotConfig, stateDir: string): boolean {
  const { store } = config.session ?? {};
  return store !== undefined && !store.includes('{agentId}') && listAgentIds(config, stateDir).length > 1;
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() && normalizeAgentId(one.name) === one.name)
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** Throws AGENT_NOT_FOUND. */
export function assertAgentKnown(params: {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly agentId: string;
}): void {
  const { config, stateDir, agentId } = params;
  if (agentId === DEFAULT_AGENT_ID && listConfigured(config).length === 0) return;
  const known = listAgentIds(config, stateDir);
  if (known.includes(agentId)) return;
  const nearest = findNearest(agentId, known);
  const others = nearest === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  throw new OpenBotError('AGENT_NOT_FOUND', `There is no agent ${agentId}`, {
    hint: `${others} To add it: openbot agents add ${agentId}`,
    details: { agentIds: known },
  });
}

/** Also of an agent that does not exist. */
export function resolveMaxConcurrent(config: BotConfig, agentId: string): number | undefined {
  const own = listConfigured(config).find(({ id }) => id === agentId);
  return own?.maxConcurrent ?? config.agents?.defaults?.maxConcurrent;
}

export interface ResolvedAgent extends Omit<AgentSettings, 'tools' | 'workspace' | 'userTimezone'> {
  readonly agentId: string;
  readonly name?: string;
  /** Absolute. */
  readonly workspaceDir: string;
  readonly tools?: readonly string[];
  readonly exec: ExecSettings;
  readonly permissions: PermissionSettings;
  /** That of the machine where none is configured. */
  readonly userTimezone: string;
}

/** `agents.defaults` with what the agent's own entry says instead. Throws AGENT_NOT_FOUND. */
export function resolveAgentSettings(params: {
  readonly config: BotConfig;
  readonly agentId: string;
  readonly stateDir: string;
  readonly env: Environment;
}): ResolvedAgent {
  assertAgentKnown(params);
  const { config, agentId } = params;
  const { workspace: _shared, ...defaults } = config.agents?.defaults ?? {};
  const own = listConfigured(config).find(({ id }) => id === agentId);
  const { id: _id, default: _default, workspace: _own, ...settings } = own ?? { id: agentId };
  const tools = settings.tools ?? defaults.tools;
  return {
    ...defaults,
    ...settings,
    agentId,
    models: { ...defaults.models, ...settings.models },
    tools: tools === undefined || isList(tools) ? tools : tools.allow,
    exec: { ...config.tools?.exec, ...execOf(defaults), ...execOf(settings) },
    permissions: { ...defaults.permissions, ...settings.permissions },
    compaction: {
      ...defaults.compaction,
      ...settings.compaction,
      memoryFlush: { ...defaults.compaction?.memoryFlush, ...settings.compaction?.memoryFlush },
    },
    workspaceDir: resolveWorkspaceDir(params, own),
    userTimezone: settings.userTimezone ?? defaults.userTimezone ?? findMachineZone(),
  };
}

function isList(tools: NonNullable<AgentSettings['tools']>): tools is readonly string[] {
  return Array.isArray(tools);
}

function execOf({ tools }: AgentSettings): ExecSettings | undefined {
  return tools === undefined || isList(tools) ? undefined : tools.exec;
}

/** As OpenClaw: the default agent has the plain name, so that no two agents share a folder by default. */
function resolveWorkspaceDir(
  params: {
    readonly config: BotConfig;
    readonly agentId: string;
    readonly stateDir: string;
    readonly env: Environment;
  },
  own: ConfiguredAgent | undefined,
): string {
  const { config, agentId, stateDir, env } = params;
  if (own?.workspace !== undefined) return resolveUserPath(own.workspace, env);
  const shared = config.agents?.defaults?.workspace;
  const isDefault = agentId === resolveDefaultAgentId(config);
  if (shared === undefined) return join(stateDir, isDefault ? 'workspace' : `workspace-${agentId}`);
  const folder = resolveUserPath(shared, env);
  return isDefault ? folder : join(folder, agentId);
}
