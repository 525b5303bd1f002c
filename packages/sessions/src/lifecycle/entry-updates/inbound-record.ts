import { mergeSessionEntry } from '../../entry/read-session-entry.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import { copyJson } from '../../store/json-value.ts';
import { type AgentSessions, readOwnKey } from '../agent-sessions.ts';
import type { Clock } from '../clock.ts';
import { markRecorded } from '../init/recorded-session.ts';
import { nameSession, startSession } from '../init/start-session.ts';
import { isLive, locateEntry } from '../locate-entry.ts';

/**
 * Adds what a message or a delivery tells to the entry, without counting as use of the session: recorded before the
 * session is looked up, it would otherwise keep every session fresh for ever. A missing entry is made, or not; its
 * session begins with the first message.
 */
export async function recordInEntry(
  agent: AgentSessions,
  clock: Clock,
  sessionKey: string,
  createIfMissing: boolean,
  patchOf: (entry: Readonly<SessionEntry> | undefined) => Partial<SessionEntry>,
): Promise<SessionEntry | null> {
  const asked = readOwnKey(agent, sessionKey);
  const recorded = await agent.store.updateMany(async (draft) => {
    const found = await locateEntry(draft, asked, agent);
    const key = found?.key ?? asked;
    if (isLive(found)) {
      draft.set(key, { ...found.entry, ...patchOf(found.entry) });
      return draft.get(key);
    }
    if (!createIfMissing) return null;
    const fresh = await nameSession(agent, clock);
    const entry = markRecorded(startSession(draft, found, fresh, clock.now));
    draft.set(key, mergeSessionEntry(entry, patchOf(undefined), clock));
    return draft.get(key);
  });
  return copyJson(recorded ?? null);
}
