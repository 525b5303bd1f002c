import { normalizeAgentId, parseAgentSessionKey } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import {
  listAgentIds,
  resolveAgentSettings,
  resolveDefaultAgentId,
  shareOneStore,
} from '../config/agents.ts';
import type { Binding, BotConfig } from '../config/bot-config.ts';
import { indexModels } from '../config/models.ts';
import type { SessionFolder } from '../kept-sessions/contract.ts';
import { openSessionFolder } from '../kept-sessions/open-session-folder.ts';

/** An agent as people are shown it. */
export interface ListedAgent {
  readonly id: string;
  readonly name?: string;
  /** It answers where none is named. */
  readonly isDefault: boolean;
  readonly workspace: string;
  /** `provider/model` */
  readonly model: string;
  /** Tried in order where the model fails. */
  readonly fallbacks: readonly string[];
  readonly sessionsPath: string;
  /** Undefined where the store cannot be read. */
  readonly sessions?: number;
  readonly bindings: readonly Binding['match'][];
}

export interface RosterPlace {
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly env: Environment;
}

/** The default one first, the others as the configuration lists them. */
export async function listAgents(place: RosterPlace): Promise<readonly ListedAgent[]> {
  const { config, stateDir, env } = place;
  const folder = await openSessionFolder(stateDir, { env, cwd: process.cwd() });
  const isShared = shareOneStore(config, stateDir);
  return describeAgents(place).map((agent) => ({ ...agent, ...countSessions(folder, agent.id, isShared) }));
}

/** The same without their sessions: no store is read. */
export function describeAgents(
  place: RosterPlace,
): readonly Omit<ListedAgent, 'sessionsPath' | 'sessions'>[] {
  const agents = listAgentIds(place.config, place.stateDir).map((id) => describeAgent(place, id));
  return [...agents.filter(({ isDefault }) => isDefault), ...agents.filter(({ isDefault }) => !isDefault)];
}

function describeAgent({ config, stateDir, env }: RosterPlace, agentId: string) {
  const settings = resolveAgentSettings({ config, agentId, stateDir, env });
  const { defaultProvider, defaultModel, fallbacks } = indexModels(settings);
  return {
    id: agentId,
    name: settings.name,
    isDefault: agentId === resolveDefaultAgentId(config),
    workspace: settings.workspaceDir,
    model: `${defaultProvider}/${defaultModel}`,
    fallbacks: fallbacks.map(({ provider, model }) => `${provider}/${model}`),
    bindings: bindingsOf(config, agentId),
  };
}

export function bindingsOf({ bindings = [] }: BotConfig, agentId: string): readonly Binding['match'][] {
  return bindings.filter((binding) => isOf(binding, agentId)).map(({ match }) => match);
}

export function isOf({ agentId }: Binding, id: string): boolean {
  return normalizeAgentId(agentId) === id;
}

function countSessions(
  folder: SessionFolder,
  agentId: string,
  isShared: boolean,
): Pick<ListedAgent, 'sessionsPath' | 'sessions'> {
  const { path, list } = folder.open(agentId);
  try {
    const sessions = list().filter(({ key }) => !isShared || parseAgentSessionKey(key)?.agentId === agentId);
    return { sessionsPath: path, sessions: sessions.length };
  } catch {
    return { sessionsPath: path };
  }
}
