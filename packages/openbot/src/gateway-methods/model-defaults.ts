import { resolveAgentSettings, resolveDefaultAgentId } from '../config/agents.ts';
import { THINKING_LEVELS } from '../config/bot-config.ts';
import { indexModels } from '../config/models.ts';
import { USUAL_WINDOW } from '../kept-sessions/openclaw-list/row-parts.ts';
import type { GatewayServices } from './services.ts';

/** What a model with fewer levels does is its own: it takes the nearest. */
export const THINKING = {
  thinkingLevels: THINKING_LEVELS.map((id) => ({ id, label: id })),
  thinkingOptions: THINKING_LEVELS,
} as const;

/** The model of an agent where a session sets none. */
export function modelOfAgent({ config, stateDir, env }: GatewayServices, agentId: string) {
  const settings = resolveAgentSettings({ config, agentId, stateDir, env });
  const index = indexModels(settings);
  const { defaultProvider: provider, defaultModel: model } = index;
  return {
    modelProvider: provider,
    model,
    contextTokens: index.contextWindowOf({ provider, model }) ?? USUAL_WINDOW,
    thinkingDefault: settings.thinkingDefault ?? 'off',
  };
}

/** `defaults` of a list: of the agent that it is of, else of the default one. */
export function modelDefaults(services: GatewayServices, agentIds: readonly string[], agentId?: string) {
  const usual = resolveDefaultAgentId(services.config);
  const shown = agentIds.find((id) => id === agentId) ?? agentIds.find((id) => id === usual) ?? agentIds[0];
  return {
    ...(shown === undefined
      ? { modelProvider: null, model: null, contextTokens: null }
      : modelOfAgent(services, shown)),
    ...THINKING,
    modelSelectionTarget: 'session',
  };
}
