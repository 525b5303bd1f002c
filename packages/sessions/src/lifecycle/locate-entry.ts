import { OpenBotError } from '../errors.ts';
import { listSessionKeySpellings } from '../key/spellings.ts';
import type { StoredEntry, StoredSession } from '../store/contract.ts';
import type { AgentSessions } from './agent-sessions.ts';
import { isBeingDeleted } from './archive/pending-archive.ts';

/** A store or the draft of one. */
export interface EntrySource {
  get(key: string): StoredEntry | undefined | Promise<StoredEntry | undefined>;
  list(): readonly StoredSession[] | Promise<readonly StoredSession[]>;
}

/** By which other names the main session may be stored. */
type MainNames = Pick<AgentSessions, 'mainKey' | 'bareAgentId'>;

/**
 * The entry of a conversation under whichever spelling the store has it, in any case; of several the one used last. It
 * stays under that key: another program may know it by no other.
 */
export async function locateEntry(
  source: EntrySource,
  sessionKey: string,
  names: MainNames,
): Promise<StoredSession | undefined> {
  const spellings = listSessionKeySpellings(sessionKey, names);
  const found: StoredSession[] = [];
  for (const key of spellings) {
    const entry = await source.get(key);
    if (entry !== undefined) found.push({ key, entry });
  }
  if (found.length === 0) found.push(...(await locateEntries(source, sessionKey, names)));
  return found.reduce<StoredSession | undefined>(
    (best, one) => (best === undefined || usedAt(one) > usedAt(best) ? one : best),
    undefined,
  );
}

/** Every entry of a conversation, whatever the spelling and case of its key. */
export async function locateEntries(
  source: EntrySource,
  sessionKey: string,
  names: MainNames,
): Promise<StoredSession[]> {
  const wanted = new Set(listSessionKeySpellings(sessionKey, names));
  return (await source.list()).filter(({ key }) => wanted.has(key.trim().toLowerCase()));
}

function usedAt({ entry }: StoredSession): number {
  return Number.isFinite(entry.updatedAt) ? entry.updatedAt : 0;
}

/** Whether there is a session at all: an entry that is on its way out counts as gone. */
export function isLive(session: StoredSession | undefined): session is StoredSession {
  return session !== undefined && !isBeingDeleted(session.entry);
}

/** As locateEntry, where the session must exist and not be on its way out. */
export async function requireEntry(
  source: EntrySource,
  agent: AgentSessions,
  sessionKey: string,
): Promise<StoredSession> {
  const found = await locateEntry(source, sessionKey, agent);
  if (!isLive(found)) throw sessionNotFound(sessionKey, agent);
  return found;
}

export function sessionNotFound(what: string, agent: AgentSessions): OpenBotError {
  return new OpenBotError('SESSION_NOT_FOUND', `There is no session ${what} in ${agent.storePath}`, {
    hint: 'List the sessions; check the agent and the state folder.',
  });
}
