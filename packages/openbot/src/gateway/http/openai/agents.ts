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
  /** By the caller, and not made up for this call. */
  readonly isNamed: boolean;
  /** Its transcript has what was said before. */
  readonly isKept: boolean;
}

/** @param kind of the names of sessions that no header names: `openai`, `openresponses` */
export async function chooseSession(call: ApiCall, kind: string): Promise<ChosenSession> {
  const { model = 'openclaw', user } = call.body;
  const words = typeof model === 'string' ? /^(?:openclaw|openbot)(?:[/:](.+))?$/.exec(model) : null;
  if (words === null) throw apiFault(400, 'Invalid `model`. Use `openclaw` or `openclaw/<agentId>`.');
  const { agents, defaultId } = await listAgents(call);
  const agentId = words[1] === undefined || words[1] === 'default' ? defaultId : words[1];
  if (!agents.includes(agentId)) throw apiFault(400, `Invalid \`model\`: no agent "${agentId}"`);
  const named = async (sessionKey: string) => ({
    model: String(model),
    sessionKey,
    isNamed: true,
    isKept: await hasHistory(call, sessionKey),
  });
  const header = call.exchange.request.headers['x-openclaw-session-key'];
  if (typeof header === 'string' && header.trim() !== '') {
    const key = header.trim();
    if (CONTROL.test(key)) throw apiFault(400, 'x-openclaw-session-key has control characters');
    return named(key.includes(':') ? key : `agent:${agentId}:${key}`);
  }
  if (user === undefined || user === null || user === '') {
    const sessionKey = `agent:${agentId}:${kind}:${randomUUID()}`;
    return { model: String(model), sessionKey, isNamed: false, isKept: false };
  }
  if (typeof user !== 'string' || user.length > LONGEST_USER || CONTROL.test(user))
    throw apiFault(400, `\`user\` must be a text of at most ${LONGEST_USER} characters`);
  return named(`agent:${agentId}:${kind}-user:${user}`);
}

/** Whether something was said in a session. */
export async function hasHistory(call: ApiCall, sessionKey: string): Promise<boolean> {
  const { messages } = await callMethod(call, 'chat.history', { sessionKey, limit: 1 });
  return Array.isArray(messages) && messages.length > 0;
}
