import {
  assertWritable,
  openDatabaseForWriting,
  readOpenclawDatabase,
  whileWriting,
} from '@openbot/sessions/openclaw-database';
import { isOfDatabase } from '../../backups/journal.ts';
import type { RewritingStorage } from '../contract/rewriting.ts';
import { prepareRowClone } from './clone-rows.ts';
import { withKeepingLock } from './keeping-lock.ts';
import { readSession, readSessionToRewrite } from './readable-session.ts';
import { openRowState } from './row-state.ts';
import { transcriptPathOf } from './transcript-path.ts';
import { dropUnfinishedRewrite, listFinishedBackups } from './unfinished-rewrite.ts';
import { backUpDatabaseSession } from './write-backup.ts';

export const sqliteRewriting: RewritingStorage = {
  read: async ({ path, sessionId }, use) =>
    readOpenclawDatabase(path, (database) => use(readSession(database, sessionId))),
  readToRewrite: async (session, { force }, use) => {
    const { path, sessionId } = session;
    transcriptPathOf(session);
    return readOpenclawDatabase(path, (database) => {
      assertWritable(database, force ?? false);
      return use(readSessionToRewrite(database, sessionId));
    });
  },
  hold: (session, { force, waitMs }, use) =>
    withKeepingLock(transcriptPathOf(session), async () => {
      const database = openDatabaseForWriting(session.path, { force, waitMs });
      try {
        await dropUnfinishedRewrite(database, session);
        return await use({
          open: async () => openRowState(database, session),
          keepWritersOut: (rewrite) => whileWriting(database, rewrite),
          isOwn: isOfDatabase,
        });
      } finally {
        database.close();
      }
    }),
  prepareClone: prepareRowClone,
  backUp: backUpDatabaseSession,
  listBackups: listFinishedBackups,
};
