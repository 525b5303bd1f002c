import type { DatabaseSync } from 'node:sqlite';
import { describeFault, isBusy, unsyncedFault } from './database-faults.ts';

interface Write {
  readonly since: number;
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Was in a transaction that failed as a whole: it gets one of its own. */
  isAlone: boolean;
}

type Outcome = { readonly value: unknown } | { readonly fault: unknown };

export interface GroupCommits {
  write<T>(change: () => T): Promise<T>;
  /** Resolves when all that was committed until now is on the disk. */
  synced(): Promise<void>;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
}

/** More than this would keep other processes, and the rest of this one, waiting. */
const MOST_TOGETHER = 500;
const LONGEST_WAIT_MS = 10_000;

export interface CommitOptions {
  /** Resolves when all that was committed before the call is on the disk. */
  sync(): Promise<void>;
  /** After a sync that failed: puts all that was committed into the file, so that nothing depends on the log. Throws where it cannot. */
  empty(): void;
  readonly longestWaitMs?: number;
}

/**
 * All changes that are asked for until the event loop comes round share one transaction. Where one fails they are made
 * again, each in a savepoint: it takes only its own changes back. A caller hears of its change when it is on the disk; the process goes on meanwhile. Others
 * may read it before. What they do about it is a change too, and on the disk no earlier; who does something else waits for `synced`.
 */
export function groupCommits(
  db: DatabaseSync,
  path: string,
  { sync, empty, longestWaitMs = LONGEST_WAIT_MS }: CommitOptions,
): GroupCommits {
  const sql = {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    savepoint: db.prepare('SAVEPOINT change'),
    release: db.prepare('RELEASE change'),
    takeBack: db.prepare('ROLLBACK TO change'),
  };
  let waiting: Write[] = [];
  let isScheduled = false;
  /** Committed, and not on the disk yet. */
  let unsynced: { done(): void; reject(reason: unknown): void }[] = [];
  let isSyncing = false;
  /** The system tells once that it could not write the log, and drops what it had: syncing again would say that all is well. */
  let hasHole = false;
  const onSettled: (() => void)[] = [];

  const schedule = (pauseMs = 0) => {
    if (isScheduled) return;
    isScheduled = true;
    if (pauseMs === 0) setImmediate(flush);
    else setTimeout(flush, pauseMs);
  };
  const flush = () => {
    isScheduled = false;
    const isFree = begin();
    if (isFree) commit(nextGroup());
    if (waiting.length > 0) schedule(isFree ? 0 : 1 + 2 * Math.random());
    else tellIfSettled();
  };
  const isSettled = () => waiting.length === 0 && !isScheduled && !isSyncing;
  const tellIfSettled = () => {
    if (isSettled()) for (const tell of onSettled.splice(0)) tell();
  };
  /** False when another process is writing, which is waited for without blocking. */
  const begin = () => {
    try {
      sql.begin.run();
      return true;
    } catch (error) {
      const longAgo = isBusy(error) ? performance.now() - longestWaitMs : Number.POSITIVE_INFINITY;
      const failed = waiting.filter(({ since }) => since <= longAgo);
      waiting = waiting.filter(({ since }) => since > longAgo);
      for (const { reject } of failed) reject(describeFault(path, error, 'write'));
      return false;
    }
  };
  const nextGroup = () => {
    const alone = waiting.findIndex(({ isAlone }) => isAlone);
    const count = alone === 0 ? 1 : alone < 0 ? MOST_TOGETHER : Math.min(alone, MOST_TOGETHER);
    return waiting.splice(0, count);
  };
  const commit = (group: readonly Write[]) => {
    let outcomes: readonly Outcome[];
    try {
      outcomes = attemptTogether(group) ?? group.map(attempt);
      sql.commit.run();
    } catch (error) {
      rollBack(db);
      if (group.length === 1) group[0]!.reject(describeFault(path, error, 'write'));
      else waiting.unshift(...group.map((write) => ({ ...write, isAlone: true })));
      return;
    }
    group.forEach(({ resolve, reject }, at) => {
      const outcome = outcomes[at]!;
      if ('value' in outcome) unsynced.push({ done: () => resolve(outcome.value), reject });
      else reject(describeFault(path, outcome.fault, 'write'));
    });
    if (unsynced.length > 0 && !isSyncing) void syncAll();
  };
  /** What is committed while the disk is at work shares the next sync. */
  const syncAll = async () => {
    isSyncing = true;
    while (unsynced.length > 0) {
      const group = unsynced;
      unsynced = [];
      try {
        if (hasHole) empty();
        else await sync();
        hasHole = false;
        for (const { done } of group) done();
      } catch (error) {
        hasHole = true;
        for (const { reject } of group) reject(unsyncedFault(path, error));
      }
    }
    isSyncing = false;
    tellIfSettled();
  };
  /** Without savepoints, which take as long as some changes. Undefined when one failed, and all were taken back. */
  const attemptTogether = (group: readonly Write[]): readonly Outcome[] | undefined => {
    if (group.length === 1) return undefined;
    try {
      return group.map(({ run }) => ({ value: run() }));
    } catch {
      rollBack(db);
      sql.begin.run();
      return undefined;
    }
  };
  const attempt = ({ run }: Write): Outcome => {
    sql.savepoint.run();
    try {
      const value = run();
      sql.release.run();
      return { value };
    } catch (fault) {
      // A full disk can end the whole transaction.
      if (!db.isTransaction) throw fault;
      sql.takeBack.run();
      sql.release.run();
      return { fault };
    }
  };

  return {
    write: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({
          since: performance.now(),
          run: change,
          resolve: resolve as (value: unknown) => void,
          reject,
          isAlone: false,
        });
        schedule();
      }),
    synced: () =>
      new Promise((resolve, reject) => {
        if (isSyncing) unsynced.push({ done: resolve, reject });
        else resolve();
      }),
    settled: () =>
      new Promise((resolve) => {
        if (isSettled()) resolve();
        else onSettled.push(resolve);
      }),
  };
}

function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch {
    // The next BEGIN says what is wrong.
  }
}
