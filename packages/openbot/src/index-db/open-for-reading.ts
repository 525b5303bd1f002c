import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { OpenBotError } from '@openbot/sessions';
import { loadSqlite } from '@openbot/sessions/disk';
import { describe, type IndexDatabase, inTransaction, readVersion } from './index-database.ts';
import { VERSION } from './schema.ts';

/** Whether there is an index which this process may read but not change. */
export function isOnlyReadable(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.W_OK);
    // SQLite keeps its log beside it.
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Opens an index that cannot be changed, as it is: it may be behind the transcripts. */
export function openIndexForReading(path: string): IndexDatabase {
  let db: DatabaseSync;
  try {
    db = connect(path);
  } catch (error) {
    throw describe(path, error);
  }
  return {
    path,
    isReadOnly: true,
    prepare: (sql) => db.prepare(sql),
    read: async (read) => inTransaction(db, 'BEGIN', read),
    write: async () => {
      throw new OpenBotError('INDEX_UNUSABLE', `Cannot write to the index ${path}`, {
        hint: 'Check who may write to the file and its folder.',
      });
    },
    close: () => db.close(),
  };
}

function connect(path: string): DatabaseSync {
  try {
    return openChecked(path, path);
  } catch (error) {
    if (error instanceof OpenBotError) throw error;
    // Without a log beside it SQLite would have to make one, unless it is told that no process writes.
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return openChecked(url, path);
  }
}

function openChecked(place: string | URL, path: string): DatabaseSync {
  const db = new (loadSqlite().DatabaseSync)(place, { readOnly: true, timeout: 1000 });
  try {
    if (readVersion(db, path) !== VERSION) throw new Error('it is empty');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
