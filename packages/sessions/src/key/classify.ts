import type { ChatType } from '../message/chat-type.ts';
import { parseAgentSessionKey, parseSessionKey } from './parse.ts';
import type { ParsedSessionKey } from './parsed-key.ts';

type Key = string | null | undefined;

/** `missing`, an agent's key, a broken agent's key, or a key from before agents (or an alias such as `main`). */
export type SessionKeyShape = 'missing' | 'agent' | 'malformed_agent' | 'legacy_or_alias';

export function classifySessionKeyShape(sessionKey: Key): SessionKeyShape {
  const text = typeof sessionKey === 'string' ? sessionKey.trim() : '';
  if (text === '') return 'missing';
  if (parseAgentSessionKey(text)) return 'agent';
  return /^agent(:|$)/i.test(text) ? 'malformed_agent' : 'legacy_or_alias';
}

/** Also reads a key that lacks the agent in front, as requests and old stores have it. */
export function parseSessionKeyOrRest(sessionKey: Key): ParsedSessionKey | null {
  const parsed = parseSessionKey(sessionKey);
  if (parsed || classifySessionKeyShape(sessionKey) !== 'legacy_or_alias') return parsed;
  return parseSessionKey(`agent:main:${sessionKey?.trim()}`);
}

/** What a thread hangs off in the end; the key's own parts when it is no thread's. */
export function resolveThreadRoot(parsed: ParsedSessionKey): Exclude<ParsedSessionKey, { kind: 'thread' }> {
  let root = parsed;
  while (root.kind === 'thread') root = root.parent;
  return root;
}

export function isThreadSessionKey(sessionKey: Key): boolean {
  return parseSessionKeyOrRest(sessionKey)?.kind === 'thread';
}

export function isSubagentSessionKey(sessionKey: Key): boolean {
  return rootKind(sessionKey) === 'subagent';
}

export function isCronSessionKey(sessionKey: Key): boolean {
  return rootKind(sessionKey) === 'cron';
}

export function isCronRunSessionKey(sessionKey: Key): boolean {
  const parsed = parseSessionKeyOrRest(sessionKey);
  return parsed?.kind === 'cron' && parsed.runId !== undefined;
}

export function isHookSessionKey(sessionKey: Key): boolean {
  return rootKind(sessionKey) === 'hook';
}

/** How many subagents deep a key is: 0 for a conversation with a person. */
export function getSubagentDepth(sessionKey: Key): number {
  if (typeof sessionKey !== 'string') return 0;
  return `:${sessionKey.trim().toLowerCase()}`.split(':subagent:').length - 1;
}

/** The main session is where direct messages collect, so it counts as direct. Undefined where no person talks. */
export function deriveChatTypeFromKey(sessionKey: Key, mainKey?: string): ChatType | undefined {
  const root = readRoot(sessionKey, mainKey);
  switch (root?.kind) {
    case 'main':
    case 'direct':
      return 'direct';
    case 'group':
    case 'channel':
      return root.kind;
    default:
      return undefined;
  }
}

export function deriveChannelFromKey(sessionKey: Key): string | undefined {
  const root = readRoot(sessionKey);
  return root && 'channel' in root ? root.channel : undefined;
}

function readRoot(sessionKey: Key, mainKey?: string) {
  const parsed = parseSessionKey(sessionKey, { mainKey }) ?? parseSessionKeyOrRest(sessionKey);
  return parsed ? resolveThreadRoot(parsed) : undefined;
}

function rootKind(sessionKey: Key): ParsedSessionKey['kind'] | undefined {
  return readRoot(sessionKey)?.kind;
}
