import { resolve } from 'node:path';
import { isJsonObject } from '../entry/json-object.ts';
import type { SessionEntry } from '../entry/session-entry.ts';
import { changeStore } from './change-store.ts';
import type { FileStoreOptions } from './commit-changes.ts';
import type { SessionStore, StoredSession } from './contract.ts';
import { getEntry, listEntries, listUnreadable, readObject } from './document.ts';
import { loadDocument } from './document-cache.ts';
import { changeOne } from './draft.ts';
import { leaveOutMembers } from './leave-out-members.ts';
import { readStoreFile } from './read-store-file.ts';
import { watchStore } from './watch-store.ts';

/** The store in a `sessions.json`, shared with every other process that takes its lock. A missing file is empty. */
export function openFileSessionStore(storePath: string, options: FileStoreOptions = {}): SessionStore {
  const path = resolve(storePath);
  const load = () => loadDocument(path, options.cacheTtlMs).document;
  const watching = new Set<() => void>();
  return {
    get: async (key) => getEntry(load(), key),
    list: async () => listEntries(load()),
    listUnreadable: async () => listUnreadable(load()),
    update: (key, change) => changeStore(path, options, (draft) => changeOne(draft, key, change)),
    updateMany: (change) => changeStore(path, options, (draft) => change(draft)),
    delete: (key) => changeStore(path, options, (draft) => draft.delete(key)),
    watch: (listener, onError) => {
      const end = watchStore(path, load, listener, onError);
      watching.add(end);
      return () => {
        watching.delete(end);
        end();
      };
    },
    close: async () => {
      for (const end of watching) end();
      watching.clear();
    },
  };
}

/**
 * What a store file holds now, for a program that looks once and ends: no lock, no cache, and entries as they are
 * written, neither checked nor frozen. Undefined when there is no file. A file that does not parse is an error, as
 * everywhere; values that are no entries are left out.
 * @param needless fields of entries that the caller does not read; they may be missing or null
 */
export function lookIntoSessionStore(
  storePath: string,
  needless: readonly (keyof SessionEntry)[] = [],
): StoredSession[] | undefined {
  const read = readStoreFile(storePath);
  if (read === undefined) return undefined;
  const sessions: StoredSession[] = [];
  const members = readMembers(read.content, storePath, needless);
  for (const key of Object.keys(members)) {
    const entry = members[key];
    if (isJsonObject(entry)) sessions.push({ key, entry: entry as StoredSession['entry'] });
  }
  return sessions;
}

function readMembers(content: Buffer, path: string, needless: readonly string[]): { [key: string]: unknown } {
  const rest = leaveOutMembers(content, needless);
  try {
    if (rest !== undefined) return readObject(rest, path);
  } catch {
    // What is wrong is said of the file as it is.
  }
  return readObject(content, path);
}
