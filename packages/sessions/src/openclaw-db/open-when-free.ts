import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '../errors.ts';
import { reportProgress } from '../progress.ts';
import {
  DEFAULT_WAIT_MS,
  type OpenclawDatabase,
  openDatabaseForWriting,
  type WritingOptions,
} from './open-database.ts';
import { inTransaction } from './transaction.ts';

const LOOK_EVERY_MS = 50;

/**
 * As openDatabaseForWriting, when no other program writes to it. SQLite's own wait would block the process: no signal would
 * end it and no progress could be shown. A program that begins to write afterwards is waited for by SQLite.
 */
export async function openDatabaseWhenFree(
  path: string,
  options: WritingOptions = {},
): Promise<OpenclawDatabase> {
  const { waitMs = DEFAULT_WAIT_MS } = options;
  const started = performance.now();
  for (let hasWaited = false; ; hasWaited = true) {
    const left = started + waitMs - performance.now();
    try {
      const database = openIfFree(path, options, Math.max(left, Math.min(waitMs, DEFAULT_WAIT_MS)));
      if (hasWaited) reportProgress({ waitingFor: undefined });
      return database;
    } catch (error) {
      if (left <= 0 || !(error instanceof OpenBotError) || error.code !== 'DATABASE_BUSY') throw error;
    }
    reportProgress({ waitingFor: `another program, which writes to ${path}` });
    await sleep(Math.min(LOOK_EVERY_MS, left));
  }
}

function openIfFree(path: string, options: WritingOptions, waitMs: number): OpenclawDatabase {
  const database = openDatabaseForWriting(path, { ...options, waitMs: 0 });
  try {
    inTransaction(database, 'immediate', () => {});
    database.db.exec(`PRAGMA busy_timeout = ${Math.ceil(waitMs)}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
