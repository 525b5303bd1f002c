import { resolve } from 'node:path';
import { changeStore, type FileStoreOptions } from './change-store.ts';
import type { SessionStore } from './contract.ts';
import { getEntry, listEntries, listUnreadable } from './document.ts';
import { loadDocument } from './document-cache.ts';
import { changeOne } from './draft.ts';
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
    updateMany: (change) => changeStore(path, options, change),
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
