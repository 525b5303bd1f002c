import { parseAgentSessionKey, type StoredSession } from '@openbot/sessions';
import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Caller, MethodCall } from '../../gateway-protocol/method.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import { resolveAddress } from '../../routing/request-route.ts';
import { canonicalRef, findSession, type SessionRef, type SessionsOfAgent } from '../../session-address.ts';
import { assertMayReach, type GatewayServices, mayReach } from '../services.ts';

type Call = Pick<MethodCall<GatewayServices>, 'caller' | 'services'>;

/** The session that a key names: whole, without its agent, or `main`. It need not exist, nor its agent. */
function readKey(call: Call, key: string, agentId: string | undefined): SessionRef {
  const { config } = call.services;
  const named = parseAgentSessionKey(key)?.agentId;
  if (named !== undefined && agentId !== undefined && named !== agentId)
    throw refuse('INVALID_REQUEST', `agentId "${agentId}" does not match session key agent "${named}"`);
  const { agentId: owner, sessionKey } = resolveAddress({
    config,
    agentId,
    fallbackAgentId: defaultAgentOf(call),
    sessionKey: key,
  });
  return canonicalRef(config.session, { agentId: owner, sessionKey });
}

/** For methods that look: undefined where the agent does not exist, or is not the caller's. */
export function visibleRef(call: Call, key: string, agentId?: string): SessionRef | undefined {
  const ref = readKey(call, key, agentId);
  return canSee(call, ref.agentId) ? ref : undefined;
}

/** For methods that change something. Throws where the agent does not exist, or is not the caller's. */
export function reachableRef(call: Call, key: string, agentId?: string): SessionRef {
  const ref = readKey(call, key, agentId);
  assertAgent(call, ref.agentId);
  return ref;
}

export function assertAgent(call: Call, agentId: string): void {
  assertMayReach(call.caller, { agentId });
  // In the same words.
  if (!canSee(call, agentId)) assertMayReach({ ...call.caller, agentIds: new Set() }, { agentId });
}

export function canSee({ caller, services }: Call, agentId: string): boolean {
  return mayReach(caller, agentId) && listAgentIds(services.config, services.stateDir).includes(agentId);
}

/** The agents that a caller sees, in the order of the configuration. */
export function visibleAgents({ caller, services }: Call): readonly string[] {
  return listAgentIds(services.config, services.stateDir).filter((agentId) => mayReach(caller, agentId));
}

/** Of those that the caller sees. */
export function defaultAgentOf(call: Call): string {
  const usual = resolveDefaultAgentId(call.services.config);
  return mayReach(call.caller, usual) ? usual : (visibleAgents(call)[0] ?? '');
}

export function sessionsOf({ state, config }: GatewayServices, agentId: string): SessionsOfAgent {
  const { mainKey } = config.session ?? {};
  return { store: state.storeOf(agentId), storePath: state.storePathOf(agentId), agentId, mainKey };
}

/** As the store has it. */
export function storedOf(services: GatewayServices, ref: SessionRef): Promise<StoredSession | undefined> {
  return findSession(sessionsOf(services, ref.agentId), ref.sessionKey);
}

export const HIDDEN_PATH = '[redacted]';

/** Where something is on this machine is not for callers of some agents. */
export function shownPath(caller: Caller, path: string): string {
  return isBound(caller) ? HIDDEN_PATH : path;
}

/** Whether the caller is bound to some agents: it is then told nothing that is about all of them. */
export function isBound({ agentIds }: Caller): boolean {
  return agentIds !== undefined;
}
