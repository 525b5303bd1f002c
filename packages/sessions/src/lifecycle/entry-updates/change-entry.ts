import { mergeSessionEntry } from '../../entry/read-session-entry.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import type { StoredEntry } from '../../store/contract.ts';
import { copyJson } from '../../store/json-value.ts';
import { BEGUN } from '../init/recorded-session.ts';
import { isLive, locateEntry } from '../locate-entry.ts';
import type { Moment } from '../moment.ts';
import { readOwnKey, type SessionPlace } from '../session-place.ts';

export interface EntryChange {
  sessionKey: string;
  /** Does nothing when the key points to another session by now: a late run must not write into the next one. */
  sessionId?: string;
  /** Whether the change counts as use of the session. If not, `updatedAt` stays: freshness is judged by it. */
  isActivity: boolean;
  patch: (entry: StoredEntry) => Partial<SessionEntry> | null;
}

/** Changes one entry in one step. Resolves to a copy of it as it is then; null when there is none to change. */
export async function changeEntry(
  place: SessionPlace,
  moment: Moment,
  change: EntryChange,
): Promise<SessionEntry | null> {
  const sessionKey = readOwnKey(place, change.sessionKey);
  const changed = await place.store.updateMany(async (draft) => {
    const found = await locateEntry(draft, sessionKey, place);
    if (!isLive(found)) return null;
    const { key, entry } = found;
    if (change.sessionId !== undefined && change.sessionId !== entry.sessionId) return null;
    const patch = change.patch(entry);
    if (patch === null) return entry;
    const used = () => mergeSessionEntry(entry, { ...BEGUN, ...patch }, moment);
    draft.set(key, change.isActivity ? used() : { ...entry, ...patch });
    return draft.get(key) ?? null;
  });
  return copyJson(changed);
}
