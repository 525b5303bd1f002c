import { realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { SessionStore } from '../../store/contract.ts';
import {
  EMPTY_DOCUMENT,
  getEntry,
  listEntries,
  listUnreadable,
  type StoreDocument,
} from '../../store/document.ts';
import { changeOne } from '../../store/draft.ts';
import { watchStore } from '../../store/watch-store.ts';
import { type FileVersions, isUntouched, statDatabase } from '../file-versions.ts';
import { readSessionDatabase } from '../open-database.ts';
import { changeEntries, type DatabaseStoreOptions } from './change-entries.ts';
import { loadEntries } from './entry-rows.ts';

/**
 * The entries in OpenClaw's database, shared with OpenClaw itself. No connection stays open between calls. A missing
 * database, and one without tables of sessions, is empty to readers and is never made. Beyond the contract OpenClaw's rules hold: an entry needs a sessionId
 * and an updatedAt in whole milliseconds, and deleting an entry deletes its sessions, whose transcripts are written to
 * files first.
 */
export function openOpenclawDatabaseStore(path: string, options: DatabaseStoreOptions = {}): SessionStore {
  const databasePath = resolve(path);
  const watching = new Set<() => void>();
  const load = (keys?: readonly string[]) => {
    if (statDatabase(databasePath) === undefined) return EMPTY_DOCUMENT;
    return readSessionDatabase(databasePath, (database) => loadEntries(database, keys)) ?? EMPTY_DOCUMENT;
  };
  return {
    get: async (key) => getEntry(load([key]), key),
    list: async () => listEntries(load()),
    listUnreadable: async () => listUnreadable(load()),
    update: (key, change) =>
      changeEntries(realPath(databasePath), options, [key], (draft) => changeOne(draft, key, change)),
    updateMany: (change) => changeEntries(realPath(databasePath), options, undefined, change),
    delete: (key) => changeEntries(realPath(databasePath), options, [key], (draft) => draft.delete(key)),
    watch: (listener, onError) => {
      const real = realPath(databasePath);
      const name = basename(real);
      const end = watchStore(real, loadWhenChanged(real, load), listener, onError, [name, `${name}-wal`]);
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

/** Times on disk are only so fine: a file that changed just now may change again without showing it. */
const FRESH_MS = 100;

/** Reads the entries again only when the files show a write. */
function loadWhenChanged(path: string, load: () => StoreDocument): () => StoreDocument {
  let known: { document: StoreDocument; versions: FileVersions } | undefined;
  return () => {
    const versions = statDatabase(path);
    if (versions === undefined) return EMPTY_DOCUMENT;
    if (known !== undefined && isUntouched(known.versions, versions)) return known.document;
    const document = load();
    const last = Math.max(...[versions.main, versions.wal].map((file) => Number(file?.mtimeNs ?? 0n) / 1e6));
    known = Date.now() - last > FRESH_MS ? { document, versions } : undefined;
    return document;
  };
}

/** One spelling for one database, so that changes through two stores take turns. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
