import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const DUMP = join(import.meta.dirname, 'version-1.sql');

/** Puts a database of version 1 into a state folder, and returns what its tables have. */
export function makeVersion1(stateDir: string): Record<string, unknown[]> {
  const db = new DatabaseSync(join(stateDir, 'openbot-inbox.sqlite'));
  db.exec(readFileSync(DUMP, 'utf8'));
  const rows = readTables(db);
  db.close();
  return rows;
}

export function readTables(db: Pick<DatabaseSync, 'prepare'>): Record<string, unknown[]> {
  const tables = ['inbox', 'inbox_content', 'event', 'outbox'];
  return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]));
}
