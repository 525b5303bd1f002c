import { readOpenclawDatabase } from '@openbot/sessions/openclaw-database';
import type { RewritingStorage } from '../contract/rewriting.ts';
import { readSession } from './readable-session.ts';
import { listFinishedBackups } from './unfinished-rewrite.ts';
import { backUpDatabaseSession } from './write-backup.ts';

export const sqliteRewriting: RewritingStorage = {
  read: async ({ path, sessionId }, use) =>
    readOpenclawDatabase(path, (database) => use(readSession(database, sessionId))),
  backUp: backUpDatabaseSession,
  listBackups: listFinishedBackups,
};
