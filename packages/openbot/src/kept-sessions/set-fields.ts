import { OpenBotError, type SessionStore, type StoredEntry } from '@openbot/sessions';

export async function setFields(
  store: SessionStore,
  key: string,
  fields: Partial<StoredEntry>,
): Promise<StoredEntry> {
  const changed = await store.update(key, (entry) => entry && { ...entry, ...fields });
  if (changed !== undefined) return changed;
  throw new OpenBotError('SESSION_NOT_FOUND', `There is no session '${key}' any more`, {
    hint: "'openbot sessions' lists those that exist",
  });
}
