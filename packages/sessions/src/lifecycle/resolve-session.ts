import { OpenBotError } from '../errors.ts';
import type { StoredSession } from '../store/contract.ts';
import { type AgentSessionsParams, openAgentSessions, readOwnKey } from './agent-sessions.ts';
import { isLive, requireEntry, sessionNotFound } from './locate-entry.ts';

export type SessionName = { sessionKey: string } | { sessionId: string } | { label: string };

/**
 * The session that a person means: by key in any spelling, by session id, or by label. SESSION_NOT_FOUND when there is
 * none; INVALID_ARGUMENT when a label means several.
 */
export async function resolveSession(params: AgentSessionsParams & SessionName): Promise<StoredSession> {
  const agent = openAgentSessions(params);
  if ('sessionKey' in params) {
    return requireEntry(agent.store, agent, readOwnKey(agent, params.sessionKey));
  }
  const what = 'sessionId' in params ? params.sessionId : params.label;
  const wanted = typeof what === 'string' ? what.trim() : '';
  if (wanted === '') throw new OpenBotError('INVALID_ARGUMENT', 'A session needs a key, an id or a label');
  const field = 'sessionId' in params ? 'sessionId' : 'label';
  const named = (await agent.store.list()).filter((one) => one.entry[field] === wanted && isLive(one));
  const [first, second] = named;
  if (first === undefined) throw sessionNotFound(JSON.stringify(wanted), agent);
  if (second !== undefined && field === 'label') {
    throw new OpenBotError(
      'INVALID_ARGUMENT',
      `${named.length} sessions have the label ${JSON.stringify(wanted)}`,
      {
        hint: `Use a key: ${named.map(({ key }) => key).join(', ')}.`,
      },
    );
  }
  return named.reduce((best, one) => (one.entry.updatedAt > best.entry.updatedAt ? one : best), first);
}
