import {
  buildAgentMainSessionKey,
  parseAgentSessionKey,
  type StoredEntry,
  type StoredSession,
} from '@openbot/sessions';
import { canonicalizeSessionKey, isSubagentSessionKey } from '@openbot/sessions/key';
import { toolFailure } from '../tools/contract.ts';
import type { ToolScope } from './parts.ts';

/**
 * The sessions that this one may read and write to. Never those of another agent. The main session, which its owner talks
 * in, reaches all sessions of its agent; every other one itself and what it spawned, because other people may talk there.
 * A session that was spawned never reaches more than that.
 */
export async function listReachable({ parts, session, store }: ToolScope): Promise<StoredSession[]> {
  const { agentId, sessionKey, isShared } = session;
  const own = await listOwn({ session, store });
  const { mainKey, scope } = parts.config.session ?? {};
  const isMain =
    sessionKey === (scope === 'global' ? 'global' : buildAgentMainSessionKey({ agentId, mainKey }));
  const wished = parts.config.tools?.sessions?.visibility ?? (isMain && !isShared ? 'agent' : 'tree');
  const reach = wished === 'agent' && isSubagentSessionKey(sessionKey) ? 'tree' : wished;
  if (reach === 'agent') return own;
  if (reach === 'self') return own.filter(({ key }) => key === sessionKey);
  const tree = new Set([sessionKey]);
  // Until nothing is added: a session may be listed before the one that spawned it.
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { key, entry } of own) if (tree.has(entry.spawnedBy ?? '')) tree.add(key);
  }
  return own.filter(({ key }) => tree.has(key));
}

/** The sessions of the agent, without those of others in a store that they share. */
export async function listOwn({
  session: { agentId },
  store,
}: Pick<ToolScope, 'session' | 'store'>): Promise<StoredSession[]> {
  return (await store.list()).filter(({ key }) => ownerOf(key, agentId) === agentId);
}

/** A key without an agent is one of the agent whose store has it. */
function ownerOf(key: string, agentId: string): string {
  return parseAgentSessionKey(key)?.agentId ?? agentId;
}

/** The session that a model means. Throws for one that it may not reach, in the same words as for one that is not there. */
export async function findReachable(scope: ToolScope, wanted: string): Promise<StoredSession> {
  const { agentId } = scope.session;
  const named = wanted.trim();
  const owner = parseAgentSessionKey(named)?.agentId;
  if (owner !== undefined && owner !== agentId)
    throw toolFailure(`${named} belongs to another agent. Only sessions of ${agentId} can be reached.`);
  const reachable = await listReachable(scope);
  // `main` and `subagent:…` mean those of this agent.
  const keys = [canonical(named), canonical(`agent:${agentId}:${named}`)];
  const found = reachable.filter(
    (one) => keys.includes(one.key) || one.entry.sessionId === named || one.entry.label === named,
  );
  const [session] = found;
  if (session === undefined)
    throw toolFailure(`There is no session ${named} that you can reach. See sessions_list.`);
  if (found.length > 1)
    throw toolFailure(`${found.length} sessions are called ${named}. Give the key of one.`);
  return session;
}

function canonical(key: string): string {
  try {
    return canonicalizeSessionKey(key);
  } catch {
    return key;
  }
}

/** This session, then the one that spawned it, and so on up to the one where a person talks. */
export async function readLineage({
  store,
  session,
}: ToolScope): Promise<{ readonly key: string; readonly entry: StoredEntry | undefined }[]> {
  const lineage = new Map<string, StoredEntry | undefined>();
  for (let key: string | undefined = session.sessionKey; key !== undefined && !lineage.has(key); ) {
    const entry: StoredEntry | undefined = await store.get(key);
    lineage.set(key, entry);
    key = entry?.spawnedBy;
  }
  return [...lineage].map(([key, entry]) => ({ key, entry }));
}
