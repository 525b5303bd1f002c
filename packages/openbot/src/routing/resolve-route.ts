import { buildAgentMainSessionKey, buildAgentPeerSessionKey, normalizeAgentId } from '@openbot/sessions';
import {
  buildThreadSessionKey,
  isGroupType,
  type NormalizeId,
  normalizeAccountId,
} from '@openbot/sessions/key';
import { resolveDefaultAgentId } from '../config/agents.ts';
import type { Binding, BotConfig } from '../config/bot-config.ts';

export interface RoutePeer {
  readonly kind: 'dm' | 'direct' | 'group' | 'channel';
  readonly id: string | number;
}

/** Where a message was written. */
export interface RouteRequest {
  readonly config: BotConfig;
  readonly channel: string;
  readonly accountId?: string;
  /** Absent: the main session. */
  readonly peer?: RoutePeer;
  /** Of a thread that is a peer of its own, as on Discord: what it was started in. Bindings of the parent hold for it. */
  readonly parentPeer?: RoutePeer;
  /** A thread inside the peer's conversation, with a session of its own. */
  readonly threadId?: string | number;
  readonly guildId?: string;
  readonly teamId?: string;
  /** Of the sender. */
  readonly roles?: readonly string[];
  /** Wins over bindings. */
  readonly agentId?: string;
  /** Of the channel, for `identityLinks`. */
  readonly normalizeId?: NormalizeId;
}

export interface Route {
  readonly agentId: string;
  readonly channel: string;
  readonly accountId: string;
  readonly sessionKey: string;
  /** Of the agent. */
  readonly mainSessionKey: string;
  /** Of a thread: the session that it hangs off. */
  readonly parentSessionKey?: string;
  readonly matchedBy: MatchedBy;
}

export type MatchedBy = 'request' | (typeof TIERS)[number]['name'] | 'default';

/**
 * The agent that gets a message, and the session that it belongs to. Of the bindings that match, the most specific one
 * decides, in the order of `TIERS`; of equal ones the first. The key follows from `session.scope`, `mainKey`, `dmScope`
 * and `identityLinks`.
 */
export function resolveRoute(request: RouteRequest): Route {
  const { config } = request;
  const place = readPlace(request);
  const { agentId, matchedBy } = chooseAgent(request, place);
  const { scope, mainKey, dmScope, identityLinks, threads } = config.session ?? {};
  const ends = { agentId, channel: place.channel, accountId: place.accountId, matchedBy };
  if (scope === 'global') return { ...ends, sessionKey: 'global', mainSessionKey: 'global' };
  const keyOf = (peer: RoutePeer | undefined) =>
    buildAgentPeerSessionKey({
      agentId,
      mainKey,
      channel: place.channel,
      accountId: place.accountId,
      peerKind: peer?.kind,
      peerId: peer?.id,
      identityLinks,
      normalizeId: request.normalizeId,
      dmScope,
    });
  return {
    ...ends,
    mainSessionKey: buildAgentMainSessionKey({ agentId, mainKey }),
    ...findThread(request, threads?.enabled !== false, keyOf),
  };
}

/** A topic that is in the id of its group is the thread that the message may name as well. */
function findThread(
  { peer, threadId: named }: RouteRequest,
  hasThreads: boolean,
  keyOf: (peer: RoutePeer | undefined) => string,
): Pick<Route, 'sessionKey' | 'parentSessionKey'> {
  const group = groupOfTopic(peer);
  if (!hasThreads) return { sessionKey: keyOf(group ?? peer) };
  const base = keyOf(peer);
  const threadId = String(named ?? '');
  const isTopic = group !== undefined && String(peer?.id) === `${group.id}:topic:${threadId}`;
  if (threadId.trim() !== '' && !isTopic)
    return { sessionKey: buildThreadSessionKey(base, threadId), parentSessionKey: base };
  return { sessionKey: base, ...(group !== undefined && { parentSessionKey: keyOf(group) }) };
}

interface Place {
  readonly channel: string;
  readonly accountId: string;
  readonly peer: string | undefined;
  readonly parentPeer: string | undefined;
  readonly guildId: string;
  readonly teamId: string;
  readonly roles: readonly string[];
}

function readPlace(request: RouteRequest): Place {
  const { peer, parentPeer = groupOfTopic(peer) } = request;
  return {
    channel: readWord(request.channel),
    accountId: normalizeAccountId(request.accountId),
    peer: peer && showPeer(peer),
    parentPeer: parentPeer && showPeer(parentPeer),
    guildId: readWord(request.guildId),
    teamId: readWord(request.teamId),
    roles: request.roles ?? [],
  };
}

/** A group's id may carry a topic, as Telegram adapters write it. */
function groupOfTopic(peer: RoutePeer | undefined): RoutePeer | undefined {
  const [, id] = /^(.+?):topic:.+$/.exec(String(peer?.id ?? '')) ?? [];
  return isGroupType(peer?.kind) && id !== undefined ? { kind: peer.kind, id } : undefined;
}

/** Networks disagree on what is a group and what a channel; a binding of either kind means both. */
function showPeer({ kind, id }: RoutePeer): string {
  return `${isGroupType(kind) ? 'group' : 'direct'} ${id}`;
}

/** From the most specific one down. All conditions of a binding must hold; its strongest one is its tier. */
const TIERS = [
  { name: 'binding.peer', has: ({ peer, group }: Conditions) => peer !== undefined || group !== undefined },
  { name: 'binding.peer.parent', has: ({ peer, group }) => peer !== undefined || group !== undefined },
  { name: 'binding.guild+roles', has: ({ guildId, roles }) => guildId !== undefined && roles !== undefined },
  { name: 'binding.guild', has: ({ guildId, roles }) => guildId !== undefined && roles === undefined },
  { name: 'binding.team', has: ({ teamId }) => teamId !== undefined },
  { name: 'binding.account', has: ({ accountId }) => readWord(accountId) !== '*' },
  { name: 'binding.channel', has: ({ accountId }) => readWord(accountId) === '*' },
] as const satisfies readonly { name: string; has: (match: Conditions) => boolean }[];

type Conditions = Binding['match'];

function chooseAgent(
  { config, agentId }: RouteRequest,
  place: Place,
): { readonly agentId: string; readonly matchedBy: MatchedBy } {
  if (agentId !== undefined) return { agentId: normalizeAgentId(agentId), matchedBy: 'request' };
  const onAccount = (config.bindings ?? []).filter(({ match }) => isOnAccount(match, place));
  for (const { name, has } of TIERS) {
    const from = name === 'binding.peer.parent' ? { ...place, peer: place.parentPeer } : place;
    const binding = onAccount.find(({ match }) => has(match) && matches(match, from));
    if (binding !== undefined) return { agentId: normalizeAgentId(binding.agentId), matchedBy: name };
  }
  return { agentId: resolveDefaultAgentId(config), matchedBy: 'default' };
}

/** Whether messages on an account of a channel can come to the agent by the bindings, or because it is the default one. */
export function reachesAccount(
  config: BotConfig,
  agentId: string,
  account: Pick<RouteRequest, 'channel' | 'accountId'>,
): boolean {
  const place = readPlace({ config, ...account });
  const onAccount = (config.bindings ?? []).filter(({ match }) => isOnAccount(match, place));
  if (onAccount.some((binding) => normalizeAgentId(binding.agentId) === agentId)) return true;
  const isTaken = onAccount.some(({ match }) => matches(match, place));
  return !isTaken && agentId === resolveDefaultAgentId(config);
}

function isOnAccount({ channel, accountId }: Conditions, place: Place): boolean {
  if (readWord(channel) !== place.channel) return false;
  return readWord(accountId) === '*' || normalizeAccountId(accountId) === place.accountId;
}

function matches({ peer, group, guildId, teamId, roles }: Conditions, place: Place): boolean {
  const wanted = peer ?? (group === undefined ? undefined : { kind: 'group' as const, id: group });
  return (
    (wanted === undefined || showPeer(wanted) === place.peer) &&
    (guildId === undefined || readWord(guildId) === place.guildId) &&
    (teamId === undefined || readWord(teamId) === place.teamId) &&
    (roles === undefined || roles.some((role) => place.roles.includes(role)))
  );
}

/** A name, or the id of a server, which no person chooses. Ids of people and of groups are compared as they are. */
function readWord(value: string | number | undefined): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}
