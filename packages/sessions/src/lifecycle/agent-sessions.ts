import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { resolveFolder, resolveWithinFolder } from '../disk/canonical-path.ts';
import type { SessionEntry } from '../entry/session-entry.ts';
import { OpenBotError } from '../errors.ts';
import { DEFAULT_AGENT_ID } from '../key/normalize.ts';
import { parseAgentSessionKey } from '../key/parse.ts';
import { canonicalizeMainSessionAlias, resolveAgentIdFromSessionKey } from '../key/resolve.ts';
import { readStoredKey } from '../key/stored-key.ts';
import { resolveAgentFolderName } from '../layout/safe-id.ts';
import { resolveSessionFilePath } from '../layout/session-file.ts';
import type { SessionStore } from '../store/contract.ts';
import { openFileSessionStore } from '../store/file-store.ts';

/** How callers name the sessions of an agent. */
export interface AgentSessionsParams {
  /** Transcripts are in the folder of this path, whichever driver keeps the entries. */
  storePath: string;
  /** Another driver than the file at `storePath`. */
  store?: SessionStore;
  /** The agent of these sessions. Read from `storePath` where that is `agents/<agentId>/sessions/<file>`. */
  agentId?: string;
  /** The configured name of the main session. `main`. */
  mainKey?: string;
}

/** The store of an agent, and the folder of its transcripts. */
export interface AgentSessions {
  readonly store: SessionStore;
  readonly storePath: string;
  readonly folder: string;
  /** Undefined for a store that several agents share. */
  readonly agentId: string | undefined;
  readonly mainKey: string | undefined;
  /** The agent whose keys the store may hold without the `agent:` prefix. In a store that agents share that is `main`. */
  readonly bareAgentId: string;
}

/** Fails with AGENT_MISMATCH when `agentId`, the path and where its links lead name different agents. */
export function openAgentSessions(params: AgentSessionsParams): AgentSessions {
  if (typeof params.storePath !== 'string' || params.storePath.trim() === '') {
    throw new OpenBotError('INVALID_ARGUMENT', 'storePath must name the session store', {
      hint: 'resolveStorePath gives the path for an agent.',
    });
  }
  const storePath = resolve(params.storePath);
  const folder = dirname(storePath);
  const named = params.agentId === undefined ? undefined : resolveAgentFolderName(params.agentId);
  const written = readOwner(folder);
  const real = readRealOwner(folder, written);
  const agentId = named ?? written ?? real;
  if (agentId !== undefined) {
    if (written !== undefined && written !== agentId) throw mismatch(agentId, written, storePath);
    if (real !== undefined && real !== agentId) throw linkedToOther(agentId, real, storePath);
  }
  const store = params.store ?? openFileSessionStore(storePath);
  const bareAgentId = real ?? written ?? DEFAULT_AGENT_ID;
  return { store, storePath, folder, agentId, mainKey: params.mainKey, bareAgentId };
}

function readOwner(folder: string): string | undefined {
  const agentDir = dirname(folder);
  const isUsual = basename(folder) === 'sessions' && basename(dirname(agentDir)) === 'agents';
  return isUsual ? basename(agentDir).toLowerCase() : undefined;
}

/** The agent that owns the folder after links are resolved: a link may lead to the files of another agent. */
function readRealOwner(folder: string, written: string | undefined): string | undefined {
  const real = resolveLinks(folder);
  const owner = readOwner(real);
  if (owner !== undefined || written === undefined) return owner;
  const path = relative(resolveLinks(dirname(dirname(folder))), real);
  const [first = ''] = path.split(sep);
  return first === '' || first === '..' || isAbsolute(path) ? undefined : first.toLowerCase();
}

/** Where a path leads; what does not exist yet is taken to be no link. */
function resolveLinks(path: string): string {
  try {
    return resolveFolder(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolveLinks(parent), basename(path));
  }
}

/**
 * The key as stores have it, the names of the main session as one. A key of another agent is refused, and so is one that
 * only looks like an agent's.
 */
export function readOwnKey(agent: AgentSessions, sessionKey: unknown): string {
  const key = readStoredKey(sessionKey);
  const named = parseAgentSessionKey(key)?.agentId;
  if (named === undefined) resolveAgentIdFromSessionKey(key);
  else if (agent.agentId !== undefined && named !== agent.agentId) {
    throw mismatch(named, agent.agentId, agent.storePath);
  }
  const agentId = named ?? agent.agentId ?? DEFAULT_AGENT_ID;
  return canonicalizeMainSessionAlias({ agentId, sessionKey: key, mainKey: agent.mainKey });
}

export function mismatch(asked: string, owner: string, storePath: string): OpenBotError {
  return new OpenBotError(
    'AGENT_MISMATCH',
    `A session of agent ${asked} was requested from the store of agent ${owner}, ${storePath}`,
    { hint: `Use the store of agent ${asked}.` },
  );
}

function linkedToOther(asked: string, owner: string, storePath: string): OpenBotError {
  return new OpenBotError(
    'AGENT_MISMATCH',
    `${storePath} should hold the sessions of agent ${asked}, but a link leads from it to the files of agent ${owner}`,
    { hint: `Give agent ${asked} a folder of its own.` },
  );
}

/** The transcript of an entry. Refused when it lies outside the agent's folder, also by way of a link. */
export function locateTranscript(
  agent: AgentSessions,
  entry: Pick<SessionEntry, 'sessionId' | 'sessionFile'>,
  topicId?: string | number,
): string {
  if (typeof entry !== 'object' || entry === null) {
    throw new OpenBotError('INVALID_ARGUMENT', `A session entry is needed, not ${entry}`);
  }
  const path = resolveSessionFilePath(entry.sessionId, entry, { sessionsDir: agent.folder, topicId });
  if (!isReallyInside(agent.folder, dirname(path))) {
    throw new OpenBotError('PATH_ESCAPES_FOLDER', `${path} leads out of ${agent.folder} through a link`, {
      hint: 'Find out who made that link; remove sessionFile from the entry or the link from the folder.',
    });
  }
  resolveWithinFolder(path);
  return path;
}

function isReallyInside(folder: string, inner: string): boolean {
  if (folder === inner) return true;
  try {
    const path = relative(resolveFolder(folder), resolveFolder(inner));
    return path !== '..' && !path.startsWith(`..${sep}`);
  } catch {
    // A folder that does not exist leads nowhere.
    return true;
  }
}
