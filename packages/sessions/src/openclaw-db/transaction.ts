import { describeDatabaseFault } from './database-faults.ts';
import type { OpenclawDatabase } from './open-database.ts';

/**
 * Runs `run` as one transaction: all of its changes, or none when it throws. `immediate` waits for the right to write
 * before it begins. Inside a transaction, and on a database that was opened for reading, it joins the one that runs.
 */
export function inTransaction<T>(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  kind: 'deferred' | 'immediate',
  run: () => T,
): T {
  if (db.isTransaction) return run();
  const doing = kind === 'deferred' ? 'read' : 'write';
  try {
    db.exec(kind === 'deferred' ? 'BEGIN DEFERRED' : 'BEGIN IMMEDIATE');
    try {
      const result = run();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack(db);
      throw error;
    }
  } catch (error) {
    throw describeDatabaseFault(path, error, doing);
  }
}

/** The same for asynchronous work. No other process can write until it has ended. */
export async function whileWriting<T>(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = await run();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack(db);
      throw error;
    }
  } catch (error) {
    throw describeDatabaseFault(path, error, 'write');
  }
}

/** What made the transaction fail is what the caller has to hear of, whatever becomes of the rollback. */
function rollBack(db: OpenclawDatabase['db']): void {
  try {
    // A full disk ends the transaction by itself.
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch {
    // Closing the connection rolls back too.
  }
}
