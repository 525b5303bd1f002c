import { OpenBotError } from '../errors.ts';
import { normalizeChatType } from '../message/chat-type.ts';
import { foldIdCase } from './channel-names.ts';
import { formatSessionKey } from './format.ts';
import { type IdentityLinks, keepFromNames, resolveLinkedPeerId } from './identity-links.ts';
import { readKeyId, readKeyPart, refuseKey } from './key-text.ts';
import { normalizeAccountId, normalizeAgentId, normalizeKeyChannel, normalizeMainKey } from './normalize.ts';
import type { DmScope, ParsedAgentKey } from './parsed-key.ts';
import type { NormalizeId } from './person-entry.ts';
import { buildThreadSessionKey } from './thread.ts';

export const DM_SCOPES: readonly DmScope[] = [
  'main',
  'per-peer',
  'per-channel-peer',
  'per-account-channel-peer',
];

export function buildAgentMainSessionKey(params: { agentId: string; mainKey?: string }): string {
  return formatSessionKey({
    kind: 'main',
    agentId: normalizeAgentId(params.agentId),
    mainKey: normalizeMainKey(params.mainKey),
  });
}

export interface AgentPeerSessionKeyParams {
  agentId: string;
  mainKey?: string;
  channel: string;
  accountId?: string | null;
  /** `dm` unless given; `direct` means the same. */
  peerKind?: 'dm' | 'direct' | 'group' | 'channel' | null;
  peerId?: string | number | null;
  /** One person's ids on several channels: they get one session, unless the scope is main. */
  identityLinks?: IdentityLinks;
  /** Of the channel, for the ids of the links. */
  normalizeId?: NormalizeId;
  /** `main` unless given: all direct messages in one session. */
  dmScope?: DmScope;
}

/**
 * The session of a peer. A direct message without a peer id goes to the main session; a group without one to
 * `unknown`. A group's id may carry a topic (`-100123:topic:42`), as Telegram adapters write it.
 */
export function buildAgentPeerSessionKey(params: AgentPeerSessionKeyParams): string {
  const agentId = normalizeAgentId(params.agentId);
  const peerKind = params.peerKind == null ? 'direct' : normalizeChatType(params.peerKind);
  if (peerKind === undefined) {
    throw new OpenBotError('INVALID_ARGUMENT', `unknown peer kind ${String(params.peerKind)}`, {
      hint: 'Use dm, group or channel.',
    });
  }
  if (peerKind !== 'direct') {
    return buildGroupKey(agentId, normalizeKeyChannel(params.channel), peerKind, params.peerId);
  }
  return buildDirectKey(agentId, params);
}

function buildDirectKey(agentId: string, params: AgentPeerSessionKeyParams): string {
  const scope = params.dmScope ?? 'main';
  // A misspelt scope must not fall back to the one in which all senders share a conversation.
  if (!DM_SCOPES.includes(scope)) {
    throw new OpenBotError('INVALID_ARGUMENT', `unknown dmScope ${String(scope)}`, {
      hint: `Use one of ${DM_SCOPES.join(', ')}.`,
    });
  }
  const ownId = readKeyId(params.peerId, 'peer id');
  if (scope === 'main' || ownId === '') {
    return buildAgentMainSessionKey({ agentId, mainKey: params.mainKey });
  }
  const channel = normalizeKeyChannel(params.channel);
  const { identityLinks, normalizeId } = params;
  const linked = resolveLinkedPeerId({ identityLinks, channel, peerId: ownId, normalizeId });
  const direct = {
    kind: 'direct',
    agentId,
    spelling: 'dm',
    peerId: linked ?? keepFromNames(foldIdCase(channel, ownId), identityLinks),
  } as const;
  if (scope === 'per-peer') return formatSessionKey({ ...direct, scope });
  if (scope === 'per-channel-peer') return formatSessionKey({ ...direct, scope, channel });
  return formatSessionKey({ ...direct, scope, channel, accountId: normalizeAccountId(params.accountId) });
}

function buildGroupKey(agentId: string, channel: string, kind: 'group' | 'channel', id: unknown): string {
  const peerId = foldIdCase(channel, readKeyId(id, 'peer id')) || 'unknown';
  const [, group = '', topic = ''] = /^(.+?):topic:(.+)$/.exec(peerId) ?? [];
  if (group.trim() === '' || topic.trim() === '') return formatSessionKey({ kind, agentId, channel, peerId });
  return buildThreadSessionKey(formatSessionKey({ kind, agentId, channel, peerId: group }), topic, 'topic');
}

/** `key` is what the spawner calls the subagent, such as a uuid or `worker1:task123`. */
export function buildSubagentSessionKey(params: { agentId: string; key: string }): string {
  return buildOwnKey(params.agentId, params.key, 'subagent name', (agentId, name) => ({
    kind: 'subagent',
    agentId,
    name,
  }));
}

export function buildCronSessionKey(params: { agentId: string; jobId: string; runId?: string }): string {
  const runId = readKeyPart(params.runId, 'cron run id');
  return buildOwnKey(params.agentId, params.jobId, 'cron job id', (agentId, jobId) =>
    runId === '' ? { kind: 'cron', agentId, jobId } : { kind: 'cron', agentId, jobId, runId },
  );
}

export function buildHookSessionKey(params: { agentId: string; hookId: string }): string {
  return buildOwnKey(params.agentId, params.hookId, 'hook id', (agentId, hookId) => ({
    kind: 'hook',
    agentId,
    hookId,
  }));
}

export function buildCloneSessionKey(params: { agentId: string; cloneId: string }): string {
  return buildOwnKey(params.agentId, params.cloneId, 'clone id', (agentId, cloneId) => ({
    kind: 'clone',
    agentId,
    cloneId,
  }));
}

function buildOwnKey(
  agentId: string,
  id: string,
  what: string,
  parts: (agentId: string, id: string) => ParsedAgentKey,
): string {
  const read = readKeyPart(id, what);
  if (read === '') throw refuseKey(`${what} is empty`, 'Give the session a name of its own.');
  return formatSessionKey(parts(normalizeAgentId(agentId), read));
}
