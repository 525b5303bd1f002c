import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSqlite, makeFolder } from '@openbot/sessions/disk';
import { watchOthers } from './data-version.ts';
import { describeFault, isBusy, unreadable } from './database-faults.ts';
import { groupCommits } from './group-commits.ts';
import { makePrivateFile } from './private-file.ts';
import { prepareSchema } from './schema.ts';
import { LogSync } from './sync-log.ts';

/** What arrives and what is to be sent, in one file, so that both are durable with one commit. */
export interface BotDatabase {
  readonly path: string;
  prepare(sql: string): StatementSync;
  /** Runs `read` outside of any transaction: what it sees is committed. */
  read<T>(read: () => T): Promise<T>;
  /**
   * Runs `change` in a transaction, together with what other callers want to write at the same time. All of its changes
   * are durable when the promise resolves; none is there when it rejects, unless the disk failed at last: then it may be. It may be run a second time, after everything
   * that it did was taken back.
   */
  write<T>(change: () => T): Promise<T>;
  /** Resolves when all that was committed until now is on the disk: for what is told to others because of what was read. */
  synced(): Promise<void>;
  /** Calls the listener when another process, or another connection, has committed. Returns the function that ends it. */
  onOtherCommit(listener: () => void): () => void;
  /** Waits for the writes that were asked for. */
  close(): Promise<void>;
}

export const DATABASE_NAME = 'openbot-inbox.sqlite';

/** Opens the database of a state folder, and makes both when they are missing. Several processes may have it open. */
export async function openBotDatabase(stateDir: string): Promise<BotDatabase> {
  const path = join(stateDir, DATABASE_NAME);
  try {
    await makeFolder(stateDir);
    await makePrivateFile(path);
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
  const db = await connect(path);
  const log = syncsItself(db) ? undefined : new LogSync(path);
  const commits = groupCommits(db, path, { sync: async () => log?.sync(), empty: () => emptyLog(db) });
  const others = watchOthers(db);
  return {
    path,
    prepare: (sql) => db.prepare(sql),
    read: (read) => whenFree(path, read),
    write: commits.write,
    synced: commits.synced,
    onOtherCommit: (listener) => others.add(listener),
    close: async () => {
      others.end();
      await commits.settled();
      log?.close();
      if (db.isOpen) db.close();
    },
  };
}

/** Other processes that read or write may keep it from being done: then it is tried with the next change. */
function emptyLog(db: DatabaseSync): void {
  if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy !== 0)
    throw new Error('the disk failed, and the log of the database is in use');
}

/** Whether a commit is on the disk when it returns. Without a log, which some file systems cannot have, it must be. */
function syncsItself(db: DatabaseSync): boolean {
  if (db.prepare('PRAGMA journal_mode').get()?.journal_mode !== 'wal') return true;
  // Checkpoints wait for the disk still, so the file is whole after a power cut. What is in the log is synced here.
  db.exec('PRAGMA synchronous = NORMAL');
  return false;
}

function connect(path: string): Promise<DatabaseSync> {
  return whenFree(path, () => {
    // No wait inside SQLite: it would stop everything else that this process does.
    const db = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
    try {
      prepareSchema(db, path);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

const LONGEST_WAIT_MS = 10_000;

/** Another process may be the first to open the database, or repair it after a crash: that keeps readers out. */
async function whenFree<T>(path: string, read: () => T): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      return read();
    } catch (error) {
      if (!isBusy(error) || performance.now() - started > LONGEST_WAIT_MS)
        throw describeFault(path, error, 'read');
    }
    await sleep(1 + 4 * Math.random());
  }
}
