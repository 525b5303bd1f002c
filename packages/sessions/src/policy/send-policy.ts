import type { SessionEntry } from '../entry/session-entry.ts';
import { deriveChannelFromKey, deriveChatTypeFromKey } from '../key/classify.ts';
import { parseAgentSessionKey, parseSessionKey } from '../key/parse.ts';
import { listSessionKeySpellings } from '../key/spellings.ts';
import { normalizeChatType } from '../message/chat-type.ts';
import type { SessionConfig, SessionSendPolicyDecision, SessionSendPolicyRule } from './session-config.ts';

export function normalizeSendPolicy(raw: unknown): SessionSendPolicyDecision | undefined {
  const value = readWord(raw);
  return value === 'allow' || value === 'deny' ? value : undefined;
}

/**
 * Whether replies of a session are delivered: the session's own setting, else the first rule that matches, else the
 * default, else allow. Channel and chat type come from the caller, else from the entry, else from the key. A rule
 * whose action or chat type cannot be read is passed over.
 */
export function resolveSendPolicy(params: {
  cfg: { session?: Pick<SessionConfig, 'sendPolicy' | 'mainKey'> };
  entry?: Pick<SessionEntry, 'sendPolicy' | 'channel' | 'lastChannel' | 'chatType'>;
  sessionKey?: string;
  channel?: string;
  chatType?: string;
}): SessionSendPolicyDecision {
  const { cfg, entry, sessionKey } = params;
  const own = normalizeSendPolicy(entry?.sendPolicy);
  if (own) return own;
  const policy = cfg.session?.sendPolicy;
  const session: RuleSubject = {
    channel:
      readWord(params.channel) ||
      readWord(entry?.channel) ||
      readWord(entry?.lastChannel) ||
      deriveChannelFromKey(sessionKey),
    chatType:
      normalizeChatType(params.chatType) ??
      normalizeChatType(entry?.chatType) ??
      deriveChatTypeFromKey(sessionKey, cfg.session?.mainKey),
    keys: listKeys(sessionKey),
  };
  const rules = Array.isArray(policy?.rules) ? policy.rules : [];
  for (const rule of rules) {
    const action = normalizeSendPolicy(rule?.action);
    if (action && matchesRule(rule, session)) return action;
  }
  return normalizeSendPolicy(policy?.default) ?? 'allow';
}

interface RuleSubject {
  channel: string | undefined;
  chatType: string | undefined;
  keys: string[];
}

function matchesRule(rule: SessionSendPolicyRule, session: RuleSubject): boolean {
  const { channel, chatType, keyPrefix, rawKeyPrefix } = rule.match ?? {};
  if (isGiven(channel) && readWord(channel) !== session.channel) return false;
  if (isGiven(chatType)) {
    const wanted = normalizeChatType(chatType);
    if (!wanted || wanted !== session.chatType) return false;
  }
  if (isGiven(rawKeyPrefix) && !session.keys.some((key) => key.startsWith(readWord(rawKeyPrefix))))
    return false;
  if (!isGiven(keyPrefix)) return true;
  const prefix = readWord(keyPrefix);
  return session.keys.some(
    (key) => key.startsWith(prefix) || parseAgentSessionKey(key)?.rest.startsWith(prefix) === true,
  );
}

/** A key that could not be stored still has a beginning to compare. */
function listKeys(sessionKey: string | undefined): string[] {
  return parseSessionKey(sessionKey) ? listSessionKeySpellings(sessionKey as string) : [readWord(sessionKey)];
}

function isGiven(condition: unknown): boolean {
  return condition !== undefined && condition !== null && condition !== '';
}

/** A word of a configuration or a command, trimmed and in lower case; '' for what is no text. */
export function readWord(raw: unknown): string {
  return typeof raw === 'string' ? raw.trim().toLowerCase() : '';
}
