import { normalizeChatType } from '../message/chat-type.ts';
import { readDeliveryContext } from './delivery-context.ts';
import { isJsonObject } from './json-object.ts';
import type { SessionEntry } from './session-entry.ts';

/**
 * Gives an entry its present spelling: chatType `dm` becomes `direct`, `target` and `account` of its
 * deliveryContext become `to` and `accountId`. Everything else is kept as it is. The same object when nothing is old.
 */
export function readSessionEntry(raw: object): SessionEntry {
  const changes: Partial<SessionEntry> = {};
  const entry = raw as SessionEntry;
  const chatType = normalizeChatType(entry.chatType);
  if (chatType !== undefined && chatType !== entry.chatType) changes.chatType = chatType;
  if (isJsonObject(entry.origin)) {
    const originType = normalizeChatType(entry.origin.chatType);
    if (originType !== undefined && originType !== entry.origin.chatType) {
      changes.origin = { ...entry.origin, chatType: originType };
    }
  }
  if (isJsonObject(entry.deliveryContext)) {
    const context = readDeliveryContext(entry.deliveryContext);
    if (context !== entry.deliveryContext) changes.deliveryContext = context;
  }
  return Object.keys(changes).length === 0 ? entry : { ...entry, ...changes };
}

/** The session of a provider's command line program, from the present field or the oldest one. */
export function readCliSessionId(entry: SessionEntry, provider: string): string | undefined {
  const id = isJsonObject(entry.cliSessionIds) ? entry.cliSessionIds[provider] : undefined;
  const old = provider === 'claude-cli' ? entry.claudeCliSessionId : undefined;
  return readId(id) ?? readId(old);
}

/** The Claude session to resume: the SDK's own, or else the one its command line program left. */
export function readSdkSessionId(entry: SessionEntry): string | undefined {
  return readId(entry.sdkSessionId) ?? readCliSessionId(entry, 'claude-cli');
}

function readId(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * The entry with the patch applied. `updatedAt` never goes back, whatever the clock or the patch says; without a
 * session id on either side a new one is made.
 */
export function mergeSessionEntry(
  existing: Readonly<SessionEntry> | undefined,
  patch: Readonly<Partial<SessionEntry>>,
  moment: { now: number; newId: () => string },
): SessionEntry {
  const sessionId = patch.sessionId ?? existing?.sessionId ?? moment.newId();
  const updatedAt = Math.max(readTime(existing?.updatedAt), readTime(patch.updatedAt), readTime(moment.now));
  return { ...existing, ...patch, sessionId, updatedAt };
}

function readTime(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
