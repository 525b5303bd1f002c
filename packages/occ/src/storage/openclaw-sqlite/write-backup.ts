import { syncFolder } from '@openbot/sessions/disk';
import { iterateEventLines } from '@openbot/sessions/openclaw-database';
import { backupPathOf, backupPathsOf } from '../../backups/backup-paths.ts';
import { readJournal } from '../../backups/journal.ts';
import { nextBackupNumber } from '../../backups/make-backup.ts';
import { type RotationOptions, rotateBackups } from '../../backups/rotate-backups.ts';
import type { FoundSession } from '../contract/found-session.ts';
import { withKeepingLock } from './keeping-lock.ts';
import { readIntoFile } from './read-into-file.ts';
import { readSession } from './readable-session.ts';
import { transcriptPathOf } from './transcript-path.ts';

/** A backup of a session that stays as it is. */
export async function backUpDatabaseSession(
  session: FoundSession,
  options?: RotationOptions,
): Promise<string> {
  const { sessionId } = session;
  const transcriptPath = transcriptPathOf(session);
  const paths = backupPathsOf(transcriptPath);
  return withKeepingLock(transcriptPath, async () => {
    const journal = readJournal(transcriptPath);
    const path = backupPathOf(paths, nextBackupNumber(paths, journal));
    const { file } = readIntoFile(session.path, path, (database, backup) => {
      readSession(database, sessionId);
      for (const line of iterateEventLines(database, sessionId)) backup.put(line);
    });
    try {
      file.name();
    } finally {
      file.drop();
    }
    await rotateBackups(transcriptPath, options);
    await syncFolder(paths.folder);
    return path;
  });
}
