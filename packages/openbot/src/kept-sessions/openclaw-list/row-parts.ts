import { buildAgentPeerSessionKey, type StoredEntry } from '@openbot/sessions';
import { isCronSessionKey, isGroupType, normalizeChatType } from '@openbot/sessions/key';
import { type ModelFacts, type ModelRef, parseModelRef } from './model-facts.ts';

/** An entry with the fields that only OpenClaw has. */
export type ListedEntry = StoredEntry & Readonly<Record<string, unknown>>;

/** What OpenClaw takes where nothing is configured. */
export const USUAL_WINDOW = 200_000;

export function classifyKind(key: string, entry: StoredEntry): string {
  if (key === 'global' || key === 'unknown') return key;
  if (isCronSessionKey(key)) return 'cron';
  if (entry.spawnedBy) return 'spawn-child';
  if (isGroupType(entry.chatType)) return 'group';
  return key.includes(':group:') || key.includes(':channel:') ? 'group' : 'direct';
}

/** The model that a person chose for the session, as `provider/model`; undefined where none did. */
export function readOverride(
  { providerOverride, modelOverride }: StoredEntry,
  defaultProvider: string,
): ModelRef | undefined {
  const provider = providerOverride?.trim();
  const model = modelOverride?.trim();
  if (!model) return undefined;
  const isRepeated = provider && model.toLowerCase().startsWith(`${provider.toLowerCase()}/`);
  const bare = isRepeated ? model.slice(provider.length + 1).trim() || model : model;
  return provider ? { provider, model: bare } : parseModelRef(bare, defaultProvider);
}

export function ageOf({ updatedAt }: StoredEntry, now: number) {
  return { updatedAt: updatedAt ?? null, ageMs: updatedAt ? now - updatedAt : null };
}

export function readTotal({ totalTokens }: StoredEntry): number | undefined {
  return typeof totalTokens === 'number' && Number.isFinite(totalTokens) && totalTokens >= 0
    ? totalTokens
    : undefined;
}

/** What a session runs in where its entry does not say so. */
export function implicitRuntime({ provider }: ModelRef, models: ModelFacts) {
  const isOpenai = provider.toLowerCase() === 'openai';
  const id = !isOpenai ? 'auto' : models.hasOwnAddress(provider) ? 'openclaw' : 'codex';
  return { id, source: 'implicit' };
}

interface Peer {
  readonly chatType?: unknown;
  readonly channel?: unknown;
  readonly to?: unknown;
  readonly from?: unknown;
  readonly accountId?: unknown;
  readonly nativeDirectUserId?: unknown;
}

/** Under which key OpenClaw looks for the rules of a person who talks in the main session. */
export function findPolicyKey(
  key: string,
  agentId: string,
  peer: Peer,
  { mainKey = 'main', isGlobal, identityLinks }: ModelFacts,
): string | undefined {
  const aliases = [mainKey, 'main'].flatMap((name) => [
    name,
    `agent:${agentId}:${name}`,
    `agent:main:${name}`,
  ]);
  if (!aliases.includes(key.toLowerCase()) && !(isGlobal && key === 'global')) return undefined;
  if (normalizeChatType(asText(peer.chatType)) !== 'direct') return undefined;
  const channel = asText(peer.channel)?.toLowerCase();
  if (channel === undefined || channel === 'webchat') return undefined;
  const peerId =
    asText(peer.nativeDirectUserId) ?? stripChannel(peer.to, channel) ?? stripChannel(peer.from, channel);
  if (peerId === undefined) return undefined;
  const policyKey = buildAgentPeerSessionKey({
    agentId,
    channel,
    accountId: asText(peer.accountId),
    peerKind: 'dm',
    // OpenClaw's keys are in lower case.
    peerId: peerId.toLowerCase(),
    dmScope: 'per-account-channel-peer',
    identityLinks,
  }).replace(/:dm:/, ':direct:');
  return policyKey === key ? undefined : policyKey;
}

function stripChannel(value: unknown, channel: string): string | undefined {
  const text = asText(value);
  if (!text?.toLowerCase().startsWith(`${channel}:`)) return text;
  const rest = text.slice(channel.length + 1);
  const topic = rest.toLowerCase().indexOf(':topic:');
  return topic < 0 ? rest : rest.slice(0, topic);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
