import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  buildAgentMainSessionKey,
  OpenBotError,
  openFileSessionStore,
  parseAgentSessionKey,
  resolveDefaultSessionStorePath,
  resolveSession,
  type SessionStore,
  type StoredSession,
} from '@openbot/sessions';
import { findRealPath, resolveAgentDatabasePath, resolveAgentDir } from '@openbot/sessions/layout';
import { printable, shorten } from '@openbot/sessions/terminal-text';
import { isWithin } from '../repo/real-path.ts';
import { type McpScope, readOwnKey } from './scope.ts';
import { describe, TEXT } from './tool.ts';

/** A conversation of the agent, and the storage that holds its entry. */
export interface Conversation extends StoredSession {
  readonly storage: 'sqlite' | 'files';
  /** A database that may hold its lines. */
  readonly databasePath?: string;
  readonly files: AgentFiles;
}

/**
 * The requested conversation. Without a key: that of the server, or the main one.
 * @throws OpenBotError SESSION_NOT_FOUND, AGENT_MISMATCH, STORE_…, DATABASE_…; OpenBotError CONVERSATION_REFUSED
 */
export async function findConversation(scope: McpScope, requested: unknown): Promise<Conversation> {
  const sessionKey = chooseKey(scope, typeof requested === 'string' ? requested : undefined);
  const files = locateAgent(scope);
  const { storePath, agentId } = files;
  let notFound: unknown;
  for (const { store, ...place } of await openStores(files)) {
    try {
      return { ...(await resolveSession({ storePath, agentId, store, sessionKey })), ...place, files };
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

/** The agent's conversations, last used first, each key once. */
export async function listConversations(scope: McpScope): Promise<StoredSession[]> {
  const files = locateAgent(scope);
  const byKey = new Map<string, StoredSession>();
  for (const { store } of await openStores(files)) {
    for (const session of await store.list()) {
      const owner = parseAgentSessionKey(session.key)?.agentId;
      if (owner !== undefined && owner !== files.agentId) continue;
      if (!byKey.has(session.key)) byKey.set(session.key, session);
    }
  }
  return [...byKey.values()].sort((one, other) => usedAt(other) - usedAt(one));
}

const NAMED = 5;
const KEY_LIMIT = 100;

async function nameOthers(scope: McpScope): Promise<string> {
  if (scope.sessionKey !== undefined) return 'It has no messages yet, or it was deleted.';
  const all = await listConversations(scope);
  if (all.length === 0) return 'It has no conversations. Check the agent and the state folder.';
  const names = all.slice(0, NAMED).map(({ key }) => shorten(printable(key), KEY_LIMIT));
  return `Its conversations: ${names.join(', ')}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ''}.`;
}

function chooseKey({ sessionKey, agentId }: McpScope, requested: string | undefined): string {
  const wanted = requested === undefined ? undefined : readOwnKey(requested, agentId);
  if (sessionKey === undefined) return wanted ?? buildAgentMainSessionKey({ agentId });
  if (wanted === undefined || wanted === sessionKey) return sessionKey;
  throw new OpenBotError(
    'CONVERSATION_REFUSED',
    'This run may read only the conversation that requested it',
    { hint: 'Leave session_key out.' },
  );
}

/** The database comes first: a current OpenClaw reads nothing else. */
async function openStores({
  storePath,
  databasePath,
}: AgentFiles): Promise<({ store: SessionStore } & Pick<Conversation, 'storage' | 'databasePath'>)[]> {
  const ofFiles = { store: openFileSessionStore(storePath), storage: 'files' as const };
  if (databasePath === undefined) return [ofFiles];
  const { openOpenclawDatabaseStore } = await import('@openbot/sessions/openclaw-database');
  return [{ store: openOpenclawDatabaseStore(databasePath), storage: 'sqlite', databasePath }, ofFiles];
}

function usedAt({ entry }: StoredSession): number {
  return Number.isFinite(entry.updatedAt) ? entry.updatedAt : 0;
}

/** The files that hold an agent's conversations. */
interface AgentFiles {
  readonly agentId: string;
  /** Nothing outside this folder is read. Links are resolved. */
  readonly root: string;
  readonly storePath: string;
  /** Undefined if the agent has no OpenClaw database. */
  readonly databasePath: string | undefined;
}

/** @throws OpenBotError PATH_ESCAPES_FOLDER if a link leads to another agent's files, or out of the agent's folder */
function locateAgent({ agentId, stateDir }: Pick<McpScope, 'agentId' | 'stateDir'>): AgentFiles {
  const folder = resolveAgentDir(agentId, { stateDir });
  const root = findRealPath(folder);
  const agents = findRealPath(join(stateDir, 'agents'));
  if (isWithin(agents, root) && (dirname(root) !== agents || basename(root).toLowerCase() !== agentId)) {
    throw leadsOut(folder, `the folder of agent ${agentId}`);
  }
  const databasePath = resolveAgentDatabasePath(agentId, { stateDir });
  const files = { agentId, root, storePath: resolveDefaultSessionStorePath(agentId, { stateDir }) };
  assertInside(files, dirname(files.storePath));
  assertInside(files, files.storePath);
  if (!existsSync(databasePath)) return { ...files, databasePath: undefined };
  assertInside(files, databasePath);
  return { ...files, databasePath };
}

/** Resolves links, so that only the agent's own files are read. */
export function assertInside({ root }: Pick<AgentFiles, 'root'>, path: string): void {
  if (!isWithin(root, findRealPath(path))) throw leadsOut(path, root);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function leadsOut(path: string, folder: string): OpenBotError {
  return new OpenBotError('PATH_ESCAPES_FOLDER', `${path} leads out of ${folder} through a link`, {
    hint: 'Remove the link if it was not made on purpose.',
  });
}

const MAX_KEY = 512;

export const SESSION_KEY_INPUT = {
  ...describe(TEXT, 'The key of a conversation of this agent. Default: the one that requested this run.'),
  minLength: 1,
  maxLength: MAX_KEY,
};
