import type { StoredEntry } from '@openbot/sessions';
import type { SessionRef } from '../session-address.ts';
import type { BotState } from '../state/open-state.ts';

/** Entries can be unreadable; the turn then says so. */
export async function findEntry(
  state: BotState,
  { agentId, sessionKey }: SessionRef,
): Promise<StoredEntry | undefined> {
  return state
    .storeOf(agentId)
    .get(sessionKey)
    .catch(() => undefined);
}
