import { buildAgentMainSessionKey, OpenBotError, resolveGroupSessionKey } from '@openbot/sessions';
import {
  canonicalizeMainSessionAlias,
  normalizeAccountId,
  resolveAgentIdFromSessionKey,
  toAgentStoreSessionKey,
} from '@openbot/sessions/key';
import { resolveDefaultAgentId } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { type Route, type RoutePeer, resolveRoute } from './resolve-route.ts';

/** Who is addressed, in the words of a command line or a request. */
export interface AddressRequest {
  readonly config: BotConfig;
  /** Named by the request itself; it wins over bindings. */
  readonly agentId?: string;
  /** Where nothing else decides. Default: that of the configuration. */
  readonly fallbackAgentId?: string;
  /** Whole, or without the agent in front. */
  readonly sessionKey?: string;
  /** `+15550123`, `telegram:42`, `telegram:group:-100123`, `120363@g.us`. */
  readonly to?: string;
  readonly channel?: string;
  readonly accountId?: string;
}

/** The channel of a message that came from none. */
export const NO_CHANNEL = 'cli';

/**
 * The route of a message that a person gives to this program: into the session of a key, as a message from `to` would go,
 * or into the main session. Throws USAGE, or INVALID_SESSION_KEY.
 */
export function resolveAddress(request: AddressRequest): Route {
  const { config, sessionKey, to } = request;
  const agentId = request.agentId ?? request.fallbackAgentId ?? resolveDefaultAgentId(config);
  if (sessionKey !== undefined) return routeByKey(request, agentId, sessionKey);
  if (to !== undefined) return routeFrom(request, to);
  return resolveRoute({
    config,
    agentId,
    channel: request.channel ?? NO_CHANNEL,
    accountId: request.accountId,
  });
}

function routeByKey(request: AddressRequest, agentId: string, requestKey: string): Route {
  const { scope, mainKey } = request.config.session ?? {};
  const wanted = toAgentStoreSessionKey({ agentId, requestKey, mainKey });
  const owner = wanted === 'global' || wanted === 'unknown' ? agentId : resolveAgentIdFromSessionKey(wanted);
  if (request.agentId !== undefined && owner !== agentId) {
    throw usage(
      `--agent ${agentId} and the session key ${wanted} contradict each other`,
      `Leave --agent out: the key names the agent ${owner}`,
    );
  }
  return {
    agentId: owner,
    channel: request.channel ?? NO_CHANNEL,
    accountId: normalizeAccountId(request.accountId),
    sessionKey: canonicalizeMainSessionAlias({ agentId: owner, sessionKey: wanted, mainKey, scope }),
    mainSessionKey: scope === 'global' ? 'global' : buildAgentMainSessionKey({ agentId: owner, mainKey }),
    matchedBy: 'request',
  };
}

function routeFrom(request: AddressRequest, to: string): Route {
  const { config, agentId } = request;
  const { channel, peer } = readAddress(to, request.channel);
  const scope = config.session?.dmScope ?? 'main';
  if (channel === undefined && scope.includes('channel') && config.session?.scope !== 'global') {
    throw usage(
      `--to ${to} names no channel, and session.dmScope is ${scope}`,
      `Name the channel: --channel telegram, or --to telegram:${to}`,
    );
  }
  return resolveRoute({
    config,
    agentId: agentId ?? (channel === undefined ? request.fallbackAgentId : undefined),
    channel: channel ?? NO_CHANNEL,
    accountId: request.accountId,
    peer,
  });
}

/** A prefix that is a channel's name is not part of the id. */
function readAddress(
  to: string,
  named: string | undefined,
): { readonly channel: string | undefined; readonly peer: RoutePeer } {
  const group = resolveGroupSessionKey({ From: to, Provider: named });
  if (group !== null) return { channel: group.channel, peer: { kind: group.chatType, id: group.id } };
  const [, prefix, rest] = /^([a-z][a-z-]*):(?:dm:|direct:|user:)?(.+)$/i.exec(to.trim()) ?? [];
  const isOther = named !== undefined && prefix?.toLowerCase() !== named.toLowerCase();
  if (prefix === undefined || rest === undefined || isOther) {
    return { channel: named, peer: { kind: 'direct', id: to } };
  }
  return { channel: prefix.toLowerCase(), peer: { kind: 'direct', id: rest } };
}

function usage(message: string, hint: string): OpenBotError {
  return new OpenBotError('USAGE', message, { hint });
}
