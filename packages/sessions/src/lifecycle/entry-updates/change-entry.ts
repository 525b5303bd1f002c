import { mergeSessionEntry } from '../../entry/read-session-entry.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import type { StoredEntry } from '../../store/contract.ts';
import { copyJson } from '../../store/json-value.ts';
import { type AgentSessions, readOwnKey } from '../agent-sessions.ts';
import type { Clock } from '../clock.ts';
import { BEGUN } from '../init/recorded-session.ts';
import { isLive, locateEntry } from '../locate-entry.ts';

interface EntryChange {
  sessionKey: string;
  /** Does nothing when the key points to another session by now: a late run must not write into the next one. */
  sessionId?: string;
  /** Whether the change counts as use of the session. If not, `updatedAt` stays: freshness is judged by it. */
  isActivity: boolean;
  patch: (entry: StoredEntry) => Partial<SessionEntry> | null;
}

/** Changes one entry in one step. Resolves to a copy of it as it is then; null when there is none to change. */
export async function changeEntry(
  agent: AgentSessions,
  clock: Clock,
  change: EntryChange,
): Promise<SessionEntry | null> {
  const sessionKey = readOwnKey(agent, change.sessionKey);
  const changed = await agent.store.updateMany(async (draft) => {
    const found = await locateEntry(draft, sessionKey, agent);
    if (!isLive(found)) return null;
    const { key, entry } = found;
    if (change.sessionId !== undefined && change.sessionId !== entry.sessionId) return null;
    const patch = change.patch(entry);
    if (patch === null) return entry;
    const used = () => mergeSessionEntry(entry, { ...BEGUN, ...patch }, clock);
    draft.set(key, change.isActivity ? used() : { ...entry, ...patch });
    return draft.get(key) ?? null;
  });
  return copyJson(changed);
}
