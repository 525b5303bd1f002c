import { type MsgContext, OpenBotError, resolveGroupSessionKey } from '@openbot/sessions';
import { resolveAgentIdFromSessionKey } from '@openbot/sessions/key';
import { findNormalizeId } from '../channels/spellings.ts';
import { resolveDefaultAgentId } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { type RoutePeer, resolveRoute } from '../routing/resolve-route.ts';
import { canonicalRef } from '../session-address.ts';

/**
 * The agent and the session of a message that came in on a channel, and the session that it is forked from. A key that the
 * adapter chose decides, in our spelling.
 */
export function routeMessage(
  config: BotConfig,
  channel: { readonly name: string; readonly accountId: string },
  ctx: MsgContext,
): { readonly agentId: string; readonly sessionKey: string; readonly parentSessionKey?: string } {
  const key = ctx.SessionKey?.trim();
  if (key) {
    const agentId =
      key === 'global' ? (ctx.AgentId ?? resolveDefaultAgentId(config)) : resolveAgentIdFromSessionKey(key);
    return canonicalRef(config.session, { agentId, sessionKey: key });
  }
  const { agentId, sessionKey, parentSessionKey } = resolveRoute({
    config,
    channel: channel.name,
    accountId: channel.accountId,
    peer: readPeer(ctx),
    threadId: ctx.MessageThreadId,
    guildId: ctx.GroupSpace,
    teamId: ctx.GroupSpace,
    roles: ctx.SenderRoles,
    agentId: ctx.AgentId,
    normalizeId: findNormalizeId(channel.name),
  });
  return { agentId, sessionKey, ...(config.session?.threads?.inheritParent && { parentSessionKey }) };
}

function readPeer(ctx: MsgContext): RoutePeer {
  const group = resolveGroupSessionKey(ctx);
  if (group !== null) return { kind: group.chatType, id: group.id };
  const id = [ctx.SenderId, ctx.From].find((one) => one?.trim());
  if (!id) {
    throw new OpenBotError('INVALID_ARGUMENT', 'A message names neither its sender nor its group', {
      hint: 'The channel must set SenderId or From in the message context.',
    });
  }
  return { kind: 'direct', id };
}
