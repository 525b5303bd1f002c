import type { StoredEntry } from '@openbot/sessions';
import type { BotConfig } from '../config/bot-config.ts';
import { findSession, type SessionRef } from '../session-address.ts';
import type { BotState } from '../state/open-state.ts';

/** Of the session of a key, however its store spells it. */
export async function findEntry(
  state: Pick<BotState, 'storeOf' | 'storePathOf'>,
  config: BotConfig,
  { agentId, sessionKey }: SessionRef,
): Promise<StoredEntry | undefined> {
  const store = state.storeOf(agentId);
  const storePath = state.storePathOf(agentId);
  const { mainKey } = config.session ?? {};
  return (await findSession({ store, storePath, agentId, mainKey }, sessionKey))?.entry;
}

/** Entries can be unreadable; the turn then says so. */
export async function findReadableEntry(
  ...wanted: Parameters<typeof findEntry>
): Promise<StoredEntry | undefined> {
  return findEntry(...wanted).catch(() => undefined);
}
