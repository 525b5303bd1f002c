import { type ChatType, normalizeChatType } from '../message/chat-type.ts';
import type { MsgContext } from '../message/msg-context.ts';
import { buildAgentPeerSessionKey } from './build.ts';
import { CHANNELS, foldIdCase } from './channel-names.ts';
import { readKeyId, readKeyPart } from './key-text.ts';
import { DEFAULT_AGENT_ID, normalizeAccountId, normalizeKeyChannel } from './normalize.ts';
import { parseAgentSessionKey } from './parse.ts';

/** `key` is the group's key without the agent in front: `whatsapp:group:120363@g.us`. */
export interface GroupKeyResolution {
  key: string;
  channel: string;
  id: string;
  chatType: 'group' | 'channel';
}

type GroupContext = Pick<MsgContext, 'From' | 'ChatType' | 'Provider' | 'Surface' | 'OriginatingChannel'>;

/**
 * The group or channel that a message was written in, by chat type, by `:group:` or `:channel:` in From, or by WhatsApp's
 * `@g.us`. Null for direct messages, and where the channel or the group is unknown. An adapter that says the chat
 * is direct is believed: a person's id may look like a group's.
 */
export function resolveGroupSessionKey(ctx: GroupContext): GroupKeyResolution | null {
  const from = readKeyId(ctx.From, 'From');
  const chatType = normalizeChatType(ctx.ChatType);
  if (!looksLikeGroup(from, chatType)) return null;

  const tokens = from.split(':');
  const [head = '', second = ''] = tokens.map((token) => token.trim().toLowerCase());
  const named = resolveMessageChannel(ctx);
  const secondIsGroup = second === 'group' || second === 'channel';
  const headIsChannel =
    tokens.length > 1 &&
    head !== '' &&
    (head === named || CHANNELS.has(head) || (named === undefined && secondIsGroup));
  const channel = headIsChannel ? head : (named ?? (/@g\.us\s*$/i.test(from) ? 'whatsapp' : undefined));
  if (channel === undefined || channel.includes(':')) return null;

  const kind =
    headIsChannel && secondIsGroup
      ? second
      : /:channel:/i.test(from) || chatType === 'channel'
        ? 'channel'
        : 'group';
  const idStart = headIsChannel ? (secondIsGroup ? 2 : 1) : 0;
  const id = foldIdCase(channel, tokens.slice(idStart).join(':'));
  if (id.trim() === '') return null;

  const agentKey = buildAgentPeerSessionKey({
    agentId: DEFAULT_AGENT_ID,
    channel,
    peerKind: kind,
    peerId: id,
  });
  return { key: parseAgentSessionKey(agentKey)?.rest ?? '', channel, id, chatType: kind };
}

/** Whether a message came from a group or channel, even where its key is unknown. Never throws. */
export function isGroupMessage(ctx: GroupContext): boolean {
  const from = typeof ctx.From === 'string' ? ctx.From : '';
  return looksLikeGroup(from, normalizeChatType(ctx.ChatType));
}

function looksLikeGroup(from: string, chatType: ChatType | undefined): boolean {
  if (chatType !== undefined) return chatType !== 'direct';
  return /:(?:group|channel):|@g\.us\s*$/i.test(from);
}

function resolveMessageChannel(ctx: GroupContext): string | undefined {
  return (
    readKeyPart(ctx.Provider, 'Provider') ||
    readKeyPart(ctx.Surface, 'Surface') ||
    readKeyPart(ctx.OriginatingChannel, 'OriginatingChannel') ||
    undefined
  );
}

/** Names the buffer of a group's recent messages, which several agents on one account share. */
export function buildGroupHistoryKey(params: {
  channel: string;
  accountId?: string | null;
  peerKind: 'group' | 'channel';
  peerId: string | number;
}): string {
  const peerId = readKeyId(params.peerId, 'peer id') || 'unknown';
  return `${normalizeKeyChannel(params.channel)}:${normalizeAccountId(params.accountId)}:${params.peerKind}:${peerId}`;
}
