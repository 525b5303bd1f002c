import { DatabaseSync } from 'node:sqlite';
import { readOpenclawDatabase } from '../../src/openclaw-db/open-database.ts';

/** The two sessions of the frozen database. */
export const MAIN = 'agent:main:main';
export const MAIN_ID = '5ae5f53e-1a33-4851-aa5f-78e1df28e50b';
export const THINK = 'agent:main:think';
export const THINK_ID = '6eacbb33-4125-4ff8-ac61-644d1a9ddb89';

export function ask(path: string, sql: string, ...values: string[]): Record<string, unknown>[] {
  return readOpenclawDatabase(path, ({ db }) =>
    db
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row })),
  );
}

/** Changes the database as another program would. */
export function alter(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
