import { hash } from 'node:crypto';
import { join } from 'node:path';
import { parseAgentSessionKey } from '../key/parse.ts';
import { canonicalizeSessionKey } from '../key/spellings.ts';

/**
 * One text for a session, where sessions of all agents are kept together: the same for each spelling of its key. Most
 * keys name their agent; `global` does not, and each agent has a session of that name.
 */
export function sessionAddressOf(session: { readonly agentId: string; readonly sessionKey: string }): string {
  const { agentId, sessionKey } = session;
  return parseAgentSessionKey(sessionKey) ? canonicalizeSessionKey(sessionKey) : `${agentId}|${sessionKey}`;
}

/**
 * The lock that openbot holds during a run of a session. Not in the agent's folder: a folder makes an agent known, and
 * the lock of an unknown one is taken too.
 */
export function runLockPathOf(stateDir: string, address: string): string {
  // The beginning is for people; any text can be a key, so its hash makes the name unique and short.
  const readable = address.replace(/[^a-z0-9]+/gi, '-').slice(0, 60);
  return join(stateDir, 'run-locks', `${readable}-${hash('sha256', address).slice(0, 24)}.lock`);
}
