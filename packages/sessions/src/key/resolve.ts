import type { MsgContext } from '../message/msg-context.ts';
import { buildAgentMainSessionKey } from './build.ts';
import { classifySessionKeyShape } from './classify.ts';
import { isGroupMessage, resolveGroupSessionKey } from './group.ts';
import { refuseKey, showKey } from './key-text.ts';
import { DEFAULT_AGENT_ID, DEFAULT_MAIN_KEY, normalizeAgentId, normalizeMainKey } from './normalize.ts';
import { parseAgentSessionKey, parseSessionKey } from './parse.ts';
import { readStoredKey } from './stored-key.ts';

/** One session per conversation, or one for all. */
export type SessionScope = 'per-sender' | 'global';

/**
 * The session that a message belongs to: the adapter's own key if it gave one; `global` in that scope; a group's own
 * session; otherwise the main session. A group message whose group is unknown is refused rather than put among
 * the direct messages.
 */
export function resolveSessionKey(
  scope: SessionScope,
  ctx: MsgContext,
  mainKey?: string,
  agentId: string = DEFAULT_AGENT_ID,
): string {
  if (ctx.SessionKey != null && !isBlank(ctx.SessionKey)) return readStoredKey(ctx.SessionKey);
  if (scope === 'global') return 'global';
  const group = resolveGroupSessionKey(ctx);
  if (group) return readStoredKey(`agent:${normalizeAgentId(agentId)}:${group.key}`);
  if (isGroupMessage(ctx)) {
    throw refuseKey(
      'a group message names neither its session nor its group',
      'Set SessionKey, or From together with Provider, in the message context.',
    );
  }
  return buildAgentMainSessionKey({ agentId, mainKey });
}

/** Whose session this is; the default agent for keys that name none. A broken agent's key is refused. */
export function resolveAgentIdFromSessionKey(sessionKey: string | null | undefined): string {
  const parsed = parseAgentSessionKey(sessionKey);
  if (!parsed && classifySessionKeyShape(sessionKey) === 'malformed_agent') throw refuseMalformed(sessionKey);
  return parsed?.agentId ?? DEFAULT_AGENT_ID;
}

/** How an agent's own tools name the session: without the agent in front. */
export function toAgentRequestSessionKey(storeKey: string | null | undefined): string | undefined {
  if (typeof storeKey !== 'string' || isBlank(storeKey)) return undefined;
  return parseAgentSessionKey(storeKey)?.rest ?? storeKey.trim();
}

/** The reverse: `main` (or nothing) is the main session, and a key without an agent gets this one. */
export function toAgentStoreSessionKey(params: {
  agentId: string;
  requestKey: string | null | undefined;
  mainKey?: string;
}): string {
  const { agentId, requestKey, mainKey } = params;
  if (requestKey == null || isBlank(requestKey)) return buildAgentMainSessionKey({ agentId, mainKey });
  const key = readStoredKey(requestKey);
  if (key === DEFAULT_MAIN_KEY) return buildAgentMainSessionKey({ agentId, mainKey });
  if (key === 'global' || key === 'unknown' || parseAgentSessionKey(key)) return key;
  if (classifySessionKeyShape(key) === 'malformed_agent') throw refuseMalformed(key);
  return readStoredKey(`agent:${normalizeAgentId(agentId)}:${key}`);
}

/**
 * Every way to say «the main session» as the one key under which it is stored: `main`, the configured main key, and
 * `agent:<id>:main` where another main key is configured. Other keys come back unchanged.
 */
export function canonicalizeMainSessionAlias(params: {
  agentId: string;
  sessionKey: string;
  mainKey?: string;
  scope?: SessionScope;
}): string {
  const key = readStoredKey(params.sessionKey);
  const agentId = normalizeAgentId(params.agentId);
  const mainKey = normalizeMainKey(params.mainKey);
  const parsed = parseSessionKey(key, { mainKey });
  const isAlias =
    key === DEFAULT_MAIN_KEY || key === mainKey || (parsed?.kind === 'main' && parsed.agentId === agentId);
  if (!isAlias) return key;
  return params.scope === 'global' ? 'global' : buildAgentMainSessionKey({ agentId, mainKey });
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

function refuseMalformed(sessionKey: unknown) {
  return refuseKey(
    `${showKey(String(sessionKey))} is not of the form agent:<agentId>:<rest>`,
    'An agent id is lower case: letters, digits, - and _, at most 64 characters.',
  );
}
