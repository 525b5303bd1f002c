import type { StoredEntry } from '@openbot/sessions';
import { parseAgentSessionKey } from '@openbot/sessions';
import { isObject } from '../rules/request.ts';

/** Kinds of conversations with a channel before them in their key. */
const KINDS = new Set(['dm', 'direct', 'group', 'channel']);
/** Keys of what no person began. */
const OWN_KINDS = new Set(['subagent', 'cron', 'hook', 'heartbeat']);

/** The channel of a conversation: that of its key, else the one that its entry names. */
export function channelOf(key: string, entry: StoredEntry | undefined): string | undefined {
  const parts = (parseAgentSessionKey(key)?.rest ?? key).split(':');
  if (OWN_KINDS.has(parts[0]!)) return parts[0];
  // An account can stand between the channel and the kind.
  if (parts.slice(1, 3).some((part) => KINDS.has(part))) return parts[0];
  const { channel, lastChannel, deliveryContext, origin } = (entry ?? {}) as Record<string, unknown>;
  const named = [
    channel,
    lastChannel,
    isObject(deliveryContext) ? deliveryContext.channel : undefined,
    isObject(origin) ? (origin.provider ?? origin.surface) : undefined,
  ];
  return named.find((name): name is string => typeof name === 'string' && name.trim() !== '');
}
