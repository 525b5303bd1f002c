import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { loadSqlite, makeFolder } from '@openbot/sessions/disk';
import { isBusy, isDamaged } from '../database/database-faults.ts';
import { makePrivateFile } from '../database/private-file.ts';
import { identify, moveAside } from './move-aside.ts';
import { TABLES, VERSION } from './schema.ts';

export const INDEX_NAME = 'openbot.sqlite';

/**
 * What transcripts and memory files say, for queries. It is made from those files and can be made from them again, so
 * nothing is kept in it alone, and no failure of it may stop what uses it.
 *
 * Several processes may have it open. One that is damaged, of an older version, or held by another process for too long is
 * moved aside, and an empty one takes its place.
 */
export interface IndexDatabase {
  readonly path: string;
  /** It cannot be changed, nor brought up to date. */
  readonly isReadOnly?: boolean;
  /** Prepared once for each text. Only inside of `read` and `write`, since the connection may be replaced. */
  prepare(sql: string): StatementSync;
  /** What `read` sees is of one moment. Rejects with INDEX_REPLACED where the index had to be given up meanwhile. */
  read<T>(read: () => T): Promise<T>;
  /**
   * Runs `change` in a transaction of its own, and again where another process was faster. Keep it short: others wait.
   * Rejects with INDEX_REPLACED where the index had to be given up: then all that the caller knows of it is void.
   */
  write<T>(change: () => T): Promise<T>;
  close(): void;
}

export interface IndexNotice {
  readonly why: 'damaged' | 'older' | 'locked' | 'deleted';
  readonly message: string;
}

export interface IndexOptions {
  /** Called when a new index took the place of one that could not be used. */
  readonly report?: (notice: IndexNotice) => void;
  /** How long to wait for other processes. */
  readonly waitMs?: number;
  /** The file of an extension of SQLite. */
  readonly extension?: string;
  /** For these reasons it is left as it is, and the call rejects with INDEX_UNUSABLE. Left out: for none. */
  readonly leaveAlone?: readonly IndexNotice['why'][];
}

/** Transactions take much less; a process that has it for so long hangs. */
const WAIT_MS = 10_000;

/** Opens the index, and makes it and its folder where they are missing. */
export async function openIndexDatabase(path: string, options: IndexOptions = {}): Promise<IndexDatabase> {
  const { waitMs = WAIT_MS, report } = options;
  let connection = await open();

  async function open(): Promise<Connection> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (identify(path) === undefined) await makeFolder(dirname(path));
        await makePrivateFile(path);
        return await whenFree(() => connect(path, options.extension));
      } catch (error) {
        if (attempt === MOST_ATTEMPTS) throw describe(path, error);
        await giveUpIndex(error, identify(path));
      }
    }
  }

  /** Moves aside what cannot be used. Throws what this cannot mend. */
  async function giveUpIndex(error: unknown, opened: string | undefined, used?: Connection): Promise<void> {
    const why = reasonOf(error);
    if (why === undefined || options.leaveAlone?.includes(why)) throw describe(path, error);
    // Before it is moved: SQLite removes its log by the name that it had.
    used?.close();
    const aside = await moveAside(path, opened);
    // Undefined: another process has done it and reports it.
    if (aside !== undefined) report?.({ why, message: explain(path, why, aside) });
  }

  /** The name may lead to another file by now, which another process made. */
  async function current(): Promise<Connection> {
    const now = identify(path);
    if (now === connection.opened && connection.db.isOpen) return connection;
    connection.close();
    if (now === undefined) report?.({ why: 'deleted', message: explain(path, 'deleted') });
    connection = await open();
    return connection;
  }

  async function whenFree<T>(work: () => T): Promise<T> {
    let started: number | undefined;
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        // Node loads its clock at the first look at it, and few have to wait.
        started ??= performance.now();
        if (performance.now() - started > waitMs) throw error;
      }
      await sleep(2 + 8 * Math.random());
    }
  }

  async function use<T>(work: (connection: Connection) => T): Promise<T> {
    const used = await current();
    try {
      return await whenFree(() => work(used));
    } catch (error) {
      // Another caller of this process has given it up meanwhile.
      if (!used.db.isOpen) throw replaced(path, error);
      if (reasonOf(error) === undefined) throw isOfSqlite(error) ? describe(path, error) : error;
      await giveUpIndex(error, used.opened, used);
      connection = await open();
      throw replaced(path, error);
    }
  }

  return {
    path,
    prepare: (sql) => connection.prepare(sql),
    read: (read) => use(({ db }) => inTransaction(db, 'BEGIN', read)),
    write: (change) => use(({ db }) => inTransaction(db, 'BEGIN IMMEDIATE', change)),
    close: () => connection.close(),
  };
}

const MOST_ATTEMPTS = 3;

interface Connection {
  readonly db: DatabaseSync;
  /** Which file it is of. */
  readonly opened: string | undefined;
  prepare(sql: string): StatementSync;
  close(): void;
}

function connect(path: string, extension: string | undefined): Connection {
  // No wait inside SQLite: it would stop everything else that this process does.
  const db = new (loadSqlite().DatabaseSync)(path, {
    timeout: 0,
    allowExtension: extension !== undefined,
  });
  try {
    if (extension !== undefined) {
      db.loadExtension(extension);
      db.enableLoadExtension(false);
    }
    prepareTables(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
  const statements = new Map<string, StatementSync>();
  return {
    db,
    opened: identify(path),
    prepare: (sql) => {
      const statement = statements.get(sql) ?? db.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => {
      statements.clear();
      if (db.isOpen) db.close();
    },
  };
}

function prepareTables(db: DatabaseSync, path: string): void {
  const version = readVersion(db, path);
  if (version === 0) db.exec('PRAGMA journal_mode = WAL');
  // A power cut may take the last commits, with what they say about how far files were read.
  db.exec(
    'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 8000',
  );
  if (version === VERSION) return;
  inTransaction(db, 'BEGIN IMMEDIATE', () => {
    // Another process may have been faster.
    if (readVersion(db, path) !== 0) return;
    db.exec(TABLES);
    db.exec(`PRAGMA user_version = ${VERSION}`);
  });
}

/** Of an index with tables but another number, or of another program, this throws. */
export function readVersion(db: DatabaseSync, path: string): number {
  // In this order: another process may make the tables in between, and they come with their version.
  const hasTables = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
  const version = db.prepare('PRAGMA user_version').get()?.user_version as number;
  if (version > VERSION) {
    throw new OpenBotError(
      'INDEX_TOO_NEW',
      `${path} has version ${version}; this openbot knows versions up to ${VERSION}`,
      {
        hint: 'Update this openbot, or move the file away: a new one is made from the transcripts.',
      },
    );
  }
  if (hasTables && version < VERSION) throw new OlderIndex(`version ${version}`);
  return version;
}

class OlderIndex extends Error {}

export function inTransaction<T>(db: DatabaseSync, begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
  db.exec(begin);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      if (db.isTransaction) db.exec('ROLLBACK');
    } catch {
      // What was wrong first says more.
    }
    throw error;
  }
}

/** Why an index is to be moved aside; undefined where that would not help. */
function reasonOf(error: unknown): 'damaged' | 'older' | 'locked' | undefined {
  if (error instanceof OlderIndex) return 'older';
  if (isDamaged(error)) return 'damaged';
  return isBusy(error) ? 'locked' : undefined;
}

const REASONS: Readonly<Record<IndexNotice['why'], string>> = {
  damaged: 'is damaged',
  older: 'is of an older version',
  locked: 'was held by another process for too long',
  deleted: 'was deleted',
};

function explain(path: string, why: IndexNotice['why'], aside?: string): string {
  const kept = aside === undefined ? '' : ` The old one is kept as ${aside}.`;
  return `The index ${path} ${REASONS[why]}. It is made anew from the transcripts, which are unchanged.${kept}`;
}

function replaced(path: string, cause: unknown): OpenBotError {
  return new OpenBotError('INDEX_REPLACED', `The index ${path} had to be made anew`, { cause });
}

function isOfSqlite(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SQLITE_ERROR';
}

export function describe(path: string, cause: unknown): unknown {
  if (cause instanceof OpenBotError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const told = cause instanceof OlderIndex ? 'it is of an older version' : why;
  return new OpenBotError('INDEX_UNUSABLE', `Cannot use the index ${path}: ${told}`, {
    hint: 'Nothing is lost: it is made from the transcripts. Check the disk, and who may write to the file and its folder.',
    cause,
  });
}
