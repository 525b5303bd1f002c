import { realpathSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import type { SessionEntry } from '../entry/session-entry.ts';
import { OpenBotError } from '../errors.ts';
import { parseAgentSessionKey } from '../key/parse.ts';
import { resolveAgentIdFromSessionKey } from '../key/resolve.ts';
import { readStoredKey } from '../key/stored-key.ts';
import { resolveAgentFolderName } from '../layout/safe-id.ts';
import { resolveSessionFilePath } from '../layout/session-file.ts';
import type { SessionStore } from '../store/contract.ts';
import { openFileSessionStore } from '../store/file-store.ts';

/** How callers name the sessions of an agent. */
export type PlaceParams = {
  /** Transcripts are in the folder of this path, whichever driver keeps the entries. */
  storePath: string;
  /** Another driver than the file at `storePath`. */
  store?: SessionStore | undefined;
  /** Whose sessions these are. Told from `storePath` where that is `agents/<agentId>/sessions/<file>`. */
  agentId?: string | undefined;
};

/** The store of an agent, and the folder of its transcripts. */
export type SessionPlace = {
  readonly store: SessionStore;
  readonly storePath: string;
  readonly folder: string;
  /** Undefined for a store that several agents share. */
  readonly agentId: string | undefined;
};

/** Fails with AGENT_MISMATCH when `agentId` and the path name different agents. */
export function openPlace(params: PlaceParams): SessionPlace {
  if (typeof params.storePath !== 'string' || params.storePath.trim() === '') {
    throw new OpenBotError('INVALID_ARGUMENT', 'storePath must name the session store', {
      hint: 'resolveStorePath gives the path for an agent.',
    });
  }
  const storePath = resolve(params.storePath);
  const folder = dirname(storePath);
  const named = params.agentId === undefined ? undefined : resolveAgentFolderName(params.agentId);
  const owner = readOwner(folder);
  if (named !== undefined && owner !== undefined && named !== owner) throw mismatch(named, owner, storePath);
  const store = params.store ?? openFileSessionStore(storePath);
  return { store, storePath, folder, agentId: named ?? owner };
}

function readOwner(folder: string): string | undefined {
  const agentDir = dirname(folder);
  const isUsual = basename(folder) === 'sessions' && basename(dirname(agentDir)) === 'agents';
  return isUsual ? basename(agentDir).toLowerCase() : undefined;
}

/** The key as stores have it. A key of another agent is refused, and so is one that only looks like an agent's. */
export function readOwnKey(place: SessionPlace, sessionKey: unknown): string {
  const key = readStoredKey(sessionKey);
  const named = parseAgentSessionKey(key)?.agentId;
  if (named === undefined) resolveAgentIdFromSessionKey(key);
  else if (place.agentId !== undefined && named !== place.agentId) {
    throw mismatch(named, place.agentId, place.storePath);
  }
  return key;
}

function mismatch(asked: string, owner: string, storePath: string): OpenBotError {
  return new OpenBotError(
    'AGENT_MISMATCH',
    `A session of agent ${asked} was asked of the sessions of agent ${owner} at ${storePath}`,
    { hint: `Use the store of agent ${asked}.` },
  );
}

/** The transcript of an entry. Refused when it lies outside the agent's folder, also by way of a link. */
export function locateTranscript(
  place: SessionPlace,
  entry: Pick<SessionEntry, 'sessionId' | 'sessionFile'>,
  topicId?: string | number | undefined,
): string {
  const path = resolveSessionFilePath(entry.sessionId, entry, { sessionsDir: place.folder, topicId });
  if (!isReallyInside(place.folder, dirname(path))) {
    throw new OpenBotError('PATH_ESCAPES_FOLDER', `${path} leads out of ${place.folder} through a link`, {
      hint: 'Find out who made that link; remove sessionFile from the entry or the link from the folder.',
    });
  }
  resolveWithinFolder(path);
  return path;
}

function isReallyInside(folder: string, inner: string): boolean {
  if (folder === inner) return true;
  try {
    const path = relative(realpathSync.native(folder), realpathSync.native(inner));
    return path !== '..' && !path.startsWith(`..${sep}`);
  } catch {
    // A folder that does not exist leads nowhere.
    return true;
  }
}
