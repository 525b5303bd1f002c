/** Which agent a call means, and in which session it answers. */
import { randomUUID } from 'node:crypto';
import { type ApiCall, apiFault, callMethod } from './api-call.ts';

/** Those that the caller may reach. */
export async function listAgents(
  call: Omit<ApiCall, 'body'>,
): Promise<{ readonly agents: readonly string[]; readonly defaultId: string }> {
  const { agents, defaultId } = await callMethod(call, 'agents.list', {});
  const ids = (agents as readonly { readonly id: string }[]).map(({ id }) => id);
  const first = ids.find((id) => id === defaultId) ?? ids[0];
  if (first === undefined) throw apiFault(404, 'no agent');
  return { agents: ids, defaultId: first };
}

const LONGEST_USER = 200;
const CONTROL = /\p{Cc}/u;

export interface ChosenSession {
  readonly model: string;
  readonly sessionKey: string;
  /** It was there before: its transcript has what was said. */
  readonly isKept: boolean;
}

/** @param kind of the names of sessions that no header names: `openai`, `openresponses` */
export async function chooseSession(call: ApiCall, kind: string): Promise<ChosenSession> {
  const { model = 'openclaw', user } = call.body;
  const named = typeof model === 'string' ? /^(?:openclaw|openbot)(?:[/:](.+))?$/.exec(model) : null;
  if (named === null) throw apiFault(400, 'Invalid `model`. Use `openclaw` or `openclaw/<agentId>`.');
  const { agents, defaultId } = await listAgents(call);
  const agentId = named[1] === undefined || named[1] === 'default' ? defaultId : named[1];
  if (!agents.includes(agentId)) throw apiFault(400, `Invalid \`model\`: no agent "${agentId}"`);
  const chosen = (sessionKey: string, isKept: boolean) => ({ model: String(model), sessionKey, isKept });
  const header = call.exchange.request.headers['x-openclaw-session-key'];
  if (typeof header === 'string' && header.trim() !== '') {
    const key = header.trim();
    if (CONTROL.test(key)) throw apiFault(400, 'x-openclaw-session-key has control characters');
    return chosen(key.includes(':') ? key : `agent:${agentId}:${key}`, true);
  }
  if (user === undefined || user === null || user === '')
    return chosen(`agent:${agentId}:${kind}:${randomUUID()}`, false);
  if (typeof user !== 'string' || user.length > LONGEST_USER || CONTROL.test(user))
    throw apiFault(400, `\`user\` must be a text of at most ${LONGEST_USER} characters`);
  return chosen(`agent:${agentId}:${kind}-user:${user}`, true);
}
