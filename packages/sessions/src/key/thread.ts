import { foldIdCase } from './channel-names.ts';
import { resolveThreadRoot } from './classify.ts';
import { formatSessionKey } from './format.ts';
import { readKeyId, refuseKey, showKey } from './key-text.ts';
import { parseSessionKey } from './parse.ts';
import type { ThreadMarker } from './parsed-key.ts';
import { readStoredKey } from './stored-key.ts';

/** `<parentKey>:thread:<threadId>`. The parent must be an agent's key; it may itself be a thread. */
export function buildThreadSessionKey(
  parentKey: string,
  threadId: string | number,
  marker: ThreadMarker = 'thread',
): string {
  const parent = parseSessionKey(parentKey);
  if (!parent || parent.kind === 'global' || parent.kind === 'unknown') {
    throw refuseKey(`${showKey(String(parentKey))} cannot have threads`, "Pass an agent's session key.");
  }
  const root = resolveThreadRoot(parent);
  const channel = 'channel' in root ? root.channel : undefined;
  const id = foldIdCase(channel, readKeyId(threadId, 'thread id'));
  if (id === '')
    throw refuseKey('thread id is empty', 'Use the parent session for messages outside threads.');
  return formatSessionKey({
    kind: 'thread',
    agentId: parent.agentId,
    marker,
    threadId: id,
    parentKey: parentKey.trim().toLowerCase(),
    parent,
  });
}

/**
 * The key of a thread under a base key, and the parent to fork from. Without a thread id the base is the session and
 * there is no parent; with `useSuffix: false` the base is already the thread's own key.
 */
export function resolveThreadSessionKeys(params: {
  baseSessionKey: string;
  threadId?: string | number | null;
  parentSessionKey?: string;
  useSuffix?: boolean;
}): { sessionKey: string; parentSessionKey: string | undefined } {
  const base = readStoredKey(params.baseSessionKey);
  const threadId = readKeyId(params.threadId, 'thread id');
  if (threadId === '') return { sessionKey: base, parentSessionKey: undefined };
  const sessionKey = params.useSuffix === false ? base : buildThreadSessionKey(base, threadId);
  return { sessionKey, parentSessionKey: params.parentSessionKey };
}

/** A key and its thread id, apart; the key itself when it is no thread's. */
export function parseThreadSessionSuffix(sessionKey: string | null | undefined): {
  baseSessionKey: string | undefined;
  threadId: string | undefined;
} {
  const parsed = parseSessionKey(sessionKey);
  if (parsed?.kind === 'thread') return { baseSessionKey: parsed.parentKey, threadId: parsed.threadId };
  const base = typeof sessionKey === 'string' ? sessionKey.trim() : '';
  return { baseSessionKey: base || undefined, threadId: undefined };
}

/** The key that a thread's key hangs off; null when the key is no thread's. */
export function resolveThreadParentSessionKey(sessionKey: string | null | undefined): string | null {
  const parsed = parseSessionKey(sessionKey);
  return parsed?.kind === 'thread' ? parsed.parentKey : null;
}
