import {
  OpenBotError,
  parseAgentSessionKey,
  resolveSession,
  type SessionConfig,
  type SessionStore,
  type StoredSession,
} from '@openbot/sessions';
import { canonicalizeMainSessionAlias, canonicalizeSessionKey } from '@openbot/sessions/key';
import { sessionAddressOf } from '@openbot/sessions/layout';

/** A session, among those of all agents. */
export interface SessionRef {
  readonly agentId: string;
  readonly sessionKey: string;
}

/** One text for it, the same for each spelling of its key. */
export const addressOf: (session: SessionRef) => string = sessionAddressOf;

/** The session of such a text; undefined for one that is none. */
export function refOfAddress(address: string): SessionRef | undefined {
  const named = parseAgentSessionKey(address);
  if (named !== null) return { agentId: named.agentId, sessionKey: address };
  const at = address.indexOf('|');
  return at < 1 ? undefined : { agentId: address.slice(0, at), sessionKey: address.slice(at + 1) };
}

/** With the key that messages are accepted under, for a key as a store or an adapter spells it. */
export function canonicalRef(
  { mainKey, scope }: Pick<SessionConfig, 'mainKey' | 'scope'> = {},
  { agentId, sessionKey }: SessionRef,
): SessionRef {
  const named = canonicalizeMainSessionAlias({ agentId, sessionKey, mainKey, scope });
  return { agentId, sessionKey: canonicalizeSessionKey(named) };
}

/** The sessions of an agent. */
export interface SessionsOfAgent {
  readonly store: SessionStore;
  readonly storePath: string;
  readonly agentId: string;
  readonly mainKey?: string;
}

/**
 * The session of a key, and the key that the store has it under: another program may have spelled it otherwise, and the
 * lifecycle keeps that spelling.
 */
export async function findSession(
  sessions: SessionsOfAgent,
  sessionKey: string,
): Promise<StoredSession | undefined> {
  try {
    return await resolveSession({ ...sessions, sessionKey });
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'SESSION_NOT_FOUND') return undefined;
    throw error;
  }
}
