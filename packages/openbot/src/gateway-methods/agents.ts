import { buildAgentMainSessionKey, normalizeAgentId, normalizeMainKey } from '@openbot/sessions';
import { describeAgents } from '../agent-roster/list-agents.ts';
import { resolveAgentSettings } from '../config/agents.ts';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, maybe } from '../gateway-protocol/param-shapes.ts';
import { modelOfAgent, THINKING } from './model-defaults.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';
import { assertAgent, defaultAgentOf, reachableRef, shownPath } from './sessions/session-ref.ts';

const list = gatewayMethod({
  name: 'agents.list',
  scope: 'operator.read',
  params: {},
  handle: (_params, call) => {
    const { services, caller } = call;
    const { session } = services.config;
    const { agents, ...roster } = describeRoster(call);
    return {
      ...roster,
      mainKey: normalizeMainKey(session?.mainKey),
      scope: session?.scope ?? 'per-sender',
      agents: agents.map(({ id, name, workspace, model, fallbacks }) => ({
        id,
        name,
        workspace: shownPath(caller, workspace),
        model: { primary: model, ...(fallbacks.length > 0 && { fallbacks }) },
        ...THINKING,
        thinkingDefault: modelOfAgent(services, id).thinkingDefault,
      })),
    };
  },
});

/** The agents that the caller sees. */
export function describeRoster(call: Pick<MethodCall<GatewayServices>, 'caller' | 'services'>) {
  const agents = describeAgents(call.services).filter(({ id }) => mayReach(call.caller, id));
  const ownership = agents.length === 1 ? { ownership: 'sole' } : {};
  return { defaultId: defaultAgentOf(call), ...ownership, selectionRequired: false, agents };
}

const identity = gatewayMethod({
  name: 'agent.identity.get',
  scope: 'operator.read',
  params: { agentId: maybe(filledText), sessionKey: maybe(filledText) },
  handle: ({ agentId, sessionKey }, call) => {
    const { config, stateDir, env } = call.services;
    const asked = agentId === undefined ? defaultAgentOf(call) : normalizeAgentId(agentId);
    const id = sessionKey === undefined ? asked : reachableRef(call, sessionKey, agentId).agentId;
    assertAgent(call, id);
    const { name } = resolveAgentSettings({ config, agentId: id, stateDir, env });
    return {
      agentId: id,
      name: name ?? id,
      nameSource: name === undefined ? 'default' : 'config',
      avatarStatus: 'none',
      mainSessionKey: buildAgentMainSessionKey({ agentId: id, mainKey: config.session?.mainKey }),
    };
  },
});

export const AGENT_LIST_METHODS = [list, identity];
