import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type LockOptions, withLock } from '../disk/lock.ts';
import { mergeSessionEntry } from '../entry/read-session-entry.ts';
import type { SessionEntry } from '../entry/session-entry.ts';
import { changeStore } from './change-store.ts';
import type { StoreDraft } from './contract.ts';
import { entryOf, getEntry, type StoreDocument } from './document.ts';
import { loadDocument } from './document-cache.ts';
import { copyJson, isSameJson } from './json-value.ts';
import { locateStoreFile } from './read-store-file.ts';

/** A whole store as an object without a prototype: any text can be a key. */
type SessionStoreRecord = Record<string, SessionEntry>;

/** A copy that may be changed freely. Values that are no entries are in it too, so that saving it keeps them. */
export function loadSessionStore(
  storePath: string,
  options: { skipCache?: boolean } = {},
): SessionStoreRecord {
  const { document } = loadDocument(resolve(storePath), options.skipCache ? 0 : undefined);
  return copyRecord(document);
}

/**
 * Makes the store equal to `store`: what is missing there is deleted. Prefer `updateSessionStore`, which cannot undo
 * what others wrote since `store` was read. A file that does not parse is not replaced.
 */
export function saveSessionStore(storePath: string, store: SessionStoreRecord): Promise<void> {
  return changeStore(storePath, {}, (draft, read) => putRecord(draft, read(), store));
}

/** Reads, changes and writes under the lock. Resolves to what the mutator returns, once it is on disk. */
export function updateSessionStore<T>(
  storePath: string,
  mutator: (store: SessionStoreRecord) => T | Promise<T>,
): Promise<T> {
  return changeStore(storePath, {}, async (draft, read) => {
    const document = read();
    const store = copyRecord(document);
    const result = await mutator(store);
    putRecord(draft, document, store);
    return result;
  });
}

/**
 * Merges what `update` returns into one entry; `updatedAt` moves on. Null when there is no such entry; the entry as it
 * is when `update` returns null.
 */
export function updateSessionStoreEntry(params: {
  storePath: string;
  sessionKey: string;
  update: (entry: SessionEntry) => Partial<SessionEntry> | null | Promise<Partial<SessionEntry> | null>;
}): Promise<SessionEntry | null> {
  const { storePath, sessionKey, update } = params;
  return changeStore(storePath, {}, async (draft) => {
    const existing = draft.get(sessionKey);
    if (existing === undefined) return null;
    const patch = await update(copyJson(existing));
    if (patch === null || patch === undefined) return copyJson(existing);
    draft.set(sessionKey, mergeSessionEntry(existing, patch, { now: Date.now(), newId: randomUUID }));
    return copyJson(draft.get(sessionKey) ?? null);
  });
}

/** Runs `fn` while no other caller can change the store. The functions above may be called inside. */
export function withSessionStoreLock<T>(
  storePath: string,
  fn: () => T | Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  return withLock(`${locateStoreFile(storePath)}.lock`, options, () => fn());
}

export function readSessionUpdatedAt(params: { storePath: string; sessionKey: string }): number | undefined {
  const updatedAt = getEntry(loadDocument(resolve(params.storePath)).document, params.sessionKey)?.updatedAt;
  return typeof updatedAt === 'number' ? updatedAt : undefined;
}

function copyRecord(document: StoreDocument): SessionStoreRecord {
  const record: SessionStoreRecord = Object.create(null);
  for (const member of document.members) {
    record[member.key] = copyJson(entryOf(member) ?? member.value) as SessionEntry;
  }
  return record;
}

function putRecord(draft: StoreDraft, document: StoreDocument, record: SessionStoreRecord): void {
  for (const { key } of document.members) if (!Object.hasOwn(record, key)) draft.delete(key);
  for (const key of Object.keys(record)) {
    const entry = record[key];
    const at = document.index.get(key);
    const member = at === undefined ? undefined : document.members[at];
    if (entry === undefined) draft.delete(key);
    else if (!member || !isSameJson(entryOf(member) ?? member.value, entry)) draft.set(key, entry);
  }
}
