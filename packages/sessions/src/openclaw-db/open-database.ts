import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { loadSqlite } from '../disk/load-sqlite.ts';
import { OpenBotError } from '../errors.ts';
import { copyDatabase } from './database-copy.ts';
import { describeDatabaseFault, needsWriting, unreadable } from './database-faults.ts';
import { type FileVersions, isUntouched, statDatabase } from './file-versions.ts';
import {
  assertColumns,
  assertSessionTables,
  assertWritable,
  COLUMNS_READ,
  type DatabaseSchema,
  readSchema,
} from './schema.ts';

export interface OpenclawDatabase {
  /** With links resolved: SQLite keeps its other files beside the real one. */
  readonly path: string;
  readonly db: DatabaseSync;
  readonly schema: DatabaseSchema;
  close(): void;
}

export interface ReadingDatabase extends OpenclawDatabase {
  /**
   * Whether what was read may mix two versions, because another process wrote meanwhile. Then read again. Never so while
   * a program has the database open: SQLite then holds one moment for us.
   */
  hasChangedSince(): boolean;
}

/** As OpenClaw waits for others itself, so its own writes are expected to be shorter. */
export const DEFAULT_WAIT_MS = 5_000;

const MOST_ATTEMPTS = 5;

/**
 * Opens a database so that nothing on disk changes: no file appears, disappears or is written. Everything that is read
 * is of one moment, unless `hasChangedSince` says otherwise.
 */
export function openDatabaseForReading(path: string): ReadingDatabase {
  return openSettled(locate(path), true, assertReadable);
}

/**
 * Calls `read` with the database, and again if another process wrote meanwhile in a way that SQLite could not keep from us: it
 * must do nothing but read, or begin by taking back what it did the time before. Only the last result counts.
 */
export function readOpenclawDatabase<T>(path: string, read: (database: OpenclawDatabase) => T): T {
  return readChecked(path, read, assertReadable);
}

/** The same for a database of another program, with tables of its own. */
export function readDatabaseQuietly<T>(path: string, read: (db: DatabaseSync) => T): T {
  return readChecked(
    path,
    ({ db }) => read(db),
    () => {},
  );
}

type Check = (database: Pick<OpenclawDatabase, 'path' | 'schema'>) => void;

const assertReadable: Check = (database) => {
  assertSessionTables(database);
  assertColumns(database, COLUMNS_READ, 'read');
};

function readChecked<T>(path: string, read: (database: OpenclawDatabase) => T, check: Check): T {
  const real = locate(path);
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MOST_ATTEMPTS;
    const database = openSettled(real, !isLast, check);
    try {
      const result = read(database);
      if (isLast || !database.hasChangedSince()) return result;
    } catch (error) {
      // A page that was replaced between two reads looks like damage.
      if (isLast || !database.hasChangedSince()) throw describeDatabaseFault(real, error, 'read');
    } finally {
      database.close();
    }
  }
}

/** The same; undefined where no sessions are kept in the database, so that they are in files. */
export function readSessionDatabase<T>(path: string, read: (database: OpenclawDatabase) => T): T | undefined {
  try {
    return readOpenclawDatabase(path, read);
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'DATABASE_WITHOUT_SESSIONS') return undefined;
    throw error;
  }
}

export interface WritingOptions {
  /** Also write to a schema of another version, if it has the columns. */
  force?: boolean;
  /** How long to wait for another writer. DEFAULT_WAIT_MS. The process does nothing else meanwhile. */
  waitMs?: number;
}

/**
 * Opens an existing database for changes, with foreign keys held and commits that survive a power cut. Nothing of how
 * the database is kept is changed.
 */
export function openDatabaseForWriting(path: string, options: WritingOptions = {}): OpenclawDatabase {
  const real = locate(path);
  let db: DatabaseSync | undefined;
  try {
    db = connect(real, { mode: 'rw' }, { timeout: options.waitMs ?? DEFAULT_WAIT_MS });
    db.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
    const held = db.prepare('PRAGMA foreign_keys').get();
    if (held?.foreign_keys !== 1) throw unreadable(real, 'this SQLite does not enforce foreign keys');
    const database = { path: real, db, schema: readSchema(db), close: () => void db?.close() };
    assertSessionTables(database);
    assertColumns(database, COLUMNS_READ, 'read');
    assertWritable(database, options.force ?? false);
    return database;
  } catch (error) {
    db?.close();
    throw describeDatabaseFault(real, error, 'write');
  }
}

/** Opens, and again if it failed while another process wrote. Without `quietly` locks are used even if files must be made. */
function openSettled(path: string, quietly: boolean, check: Check): ReadingDatabase {
  for (let attempt = 1; ; attempt++) {
    const before = statDatabase(path) ?? missing(path);
    try {
      return openReading(path, before, quietly, check);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || isUntouched(before, statDatabase(path)))
        throw describeDatabaseFault(path, error, 'read');
    }
  }
}

function openReading(path: string, before: FileVersions, quietly: boolean, check: Check): ReadingDatabase {
  // A live writer has a `-wal` and its index, or a `-journal`: without them no process writes.
  const hasLines = (before.wal?.size ?? 0n) > 0n;
  const isWalUnused = before.wal === undefined || (!hasLines && before.shm === undefined);
  const isQuiet = isWalUnused && (before.journal?.size ?? 0n) === 0n;
  if (quietly && isQuiet) return openUnlocked(path, before, check);
  if (hasLines && before.shm === undefined) return openCopy(path, before, check);
  try {
    return openLocked(path, before, check);
  } catch (error) {
    if (!needsWriting((error as Error).cause ?? error)) throw error;
    return openCopy(path, before, check);
  }
}

function openUnlocked(path: string, before: FileVersions, check: Check): ReadingDatabase {
  const db = connect(path, { immutable: '1' }, { readOnly: true });
  return finishReading(path, db, check, {
    hasChangedSince: () => !isUntouched(before, statDatabase(path)),
    close: () => db.close(),
  });
}

function openLocked(path: string, before: FileVersions, check: Check): ReadingDatabase {
  const db = connect(path, {}, { readOnly: true, timeout: DEFAULT_WAIT_MS });
  return finishReading(path, db, check, {
    hasChangedSince: () => false,
    close: () => {
      db.close();
      removeOwnLeftovers(path, before);
    },
  });
}

function openCopy(path: string, before: FileVersions, check: Check): ReadingDatabase {
  const copy = copyDatabase(path, before);
  let db: DatabaseSync | undefined;
  try {
    // Undoing a half-done transaction writes to the copy; a `-wal` is only read.
    db = connect(copy.path, {}, { readOnly: before.journal === undefined });
    const database = finishReading(path, db, check, {
      hasChangedSince: () => !isUntouched(before, statDatabase(path)),
      close: () => {
        db?.close();
        copy.remove();
      },
    });
    // What is read from now on is of the transaction that is open: SQLite asks for no name any more.
    copy.hide();
    return database;
  } catch (error) {
    if (db?.isOpen) db.close();
    copy.remove();
    throw describeDatabaseFault(path, error, 'read');
  }
}

function finishReading(
  path: string,
  db: DatabaseSync,
  check: Check,
  ends: Pick<ReadingDatabase, 'hasChangedSince' | 'close'>,
): ReadingDatabase {
  try {
    db.exec('BEGIN');
    const database = { path, db, schema: readSchema(db), ...ends };
    check(database);
    return database;
  } catch (error) {
    ends.close();
    throw describeDatabaseFault(path, error, 'read');
  }
}

/**
 * When the last writer left between our look and our open, SQLite made an empty `-wal` and its index for us, and a
 * reader cannot take them away. A writer that finds nothing to do takes them away under SQLite's own locks.
 */
function removeOwnLeftovers(path: string, before: FileVersions): void {
  try {
    const now = statDatabase(path);
    if (now?.wal === undefined || now.wal.size > 0n || now.wal.ino === before.wal?.ino) return;
    if ((now.journal?.size ?? 0n) > 0n) return;
    const db = connect(path, { mode: 'rw' }, { timeout: 0 });
    try {
      db.prepare('SELECT 1 FROM sqlite_schema').get();
    } finally {
      db.close();
    }
  } catch {
    // Another process has it open now, and will remove them.
  }
}

function connect(path: string, query: Record<string, string>, options: DatabaseSyncOptions): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const url = pathToFileURL(path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return new DatabaseSync(url, options);
}

function locate(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing(absolute, error);
    throw unreadable(absolute, message, undefined, error);
  }
}

function missing(path: string, cause?: unknown): never {
  throw unreadable(path, 'there is no such file', 'Check the agent and the state folder.', cause);
}
