import {
  buildAgentMainSessionKey,
  OpenBotError,
  openFileSessionStore,
  parseAgentSessionKey,
  resolveSession,
  type SessionStore,
  type StoredSession,
} from '@openbot/sessions';
import { printable, shorten } from '@openbot/sessions/terminal-text';
import { type AgentPlace, locateAgent } from './agent-place.ts';
import type { McpScope } from './mcp-options.ts';
import { readOwnKey } from './resolve-scope.ts';

/** A conversation of the agent, and where its entry was found. */
export interface Conversation extends StoredSession {
  readonly storage: 'sqlite' | 'files';
  readonly place: AgentPlace;
}

/**
 * The conversation that is asked for; without a key the one that the server was started for, else the main one.
 * @throws OpenBotError SESSION_NOT_FOUND, AGENT_MISMATCH, STORE_…, DATABASE_…; OpenBotError CONVERSATION_REFUSED
 */
export async function findConversation(scope: McpScope, asked: unknown): Promise<Conversation> {
  const sessionKey = chooseKey(scope, typeof asked === 'string' ? asked : undefined);
  const place = locateAgent(scope);
  const { storePath, agentId } = place;
  let notFound: unknown;
  for (const { store, storage } of await openStores(place)) {
    try {
      return { ...(await resolveSession({ storePath, agentId, store, sessionKey })), storage, place };
    } catch (error) {
      if (!(error instanceof OpenBotError) || error.code !== 'SESSION_NOT_FOUND') throw error;
      notFound = error;
    }
  }
  throw new OpenBotError(
    'SESSION_NOT_FOUND',
    `Agent ${agentId} has no conversation ${JSON.stringify(sessionKey)}`,
    {
      hint: await nameOthers(scope),
      cause: notFound,
    },
  );
}

/** Those of the agent, the one used last first, each key once. */
export async function listConversations(scope: McpScope): Promise<StoredSession[]> {
  const place = locateAgent(scope);
  const byKey = new Map<string, StoredSession>();
  for (const { store } of await openStores(place)) {
    for (const session of await store.list()) {
      const owner = parseAgentSessionKey(session.key)?.agentId;
      if (owner !== undefined && owner !== place.agentId) continue;
      if (!byKey.has(session.key)) byKey.set(session.key, session);
    }
  }
  return [...byKey.values()].sort((one, other) => usedAt(other) - usedAt(one));
}

const NAMED = 5;
const KEY_LIMIT = 100;

async function nameOthers(scope: McpScope): Promise<string> {
  if (scope.sessionKey !== undefined) return 'Nothing has been said there yet, or it was deleted.';
  const all = await listConversations(scope);
  if (all.length === 0) return 'It has none at all. Check the agent and the state folder.';
  const names = all.slice(0, NAMED).map(({ key }) => shorten(printable(key), KEY_LIMIT));
  return `There are: ${names.join(', ')}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ''}.`;
}

function chooseKey({ sessionKey, agentId }: McpScope, asked: string | undefined): string {
  const wanted = asked === undefined ? undefined : readOwnKey(asked, agentId);
  if (sessionKey === undefined) return wanted ?? buildAgentMainSessionKey({ agentId });
  if (wanted === undefined || wanted === sessionKey) return sessionKey;
  throw new OpenBotError(
    'CONVERSATION_REFUSED',
    'This run was asked for in one conversation, and only that one can be read',
    { hint: 'Leave session_key out.' },
  );
}

/** What the database has counts before what the files have: it is all that a current OpenClaw reads. */
async function openStores({
  storePath,
  databasePath,
}: AgentPlace): Promise<{ store: SessionStore; storage: Conversation['storage'] }[]> {
  const files = { store: openFileSessionStore(storePath), storage: 'files' as const };
  if (databasePath === undefined) return [files];
  const { openOpenclawDatabaseStore } = await import('@openbot/sessions/openclaw-database');
  return [{ store: openOpenclawDatabaseStore(databasePath), storage: 'sqlite' }, files];
}

function usedAt({ entry }: StoredSession): number {
  return Number.isFinite(entry.updatedAt) ? entry.updatedAt : 0;
}
