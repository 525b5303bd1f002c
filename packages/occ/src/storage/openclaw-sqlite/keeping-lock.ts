import { existsSync, rmdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { makeFolder, sweepLeftovers, undoAtEnding } from '@openbot/sessions/disk';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { makeBackupFolder } from '../../backups/make-backup-folder.ts';

/**
 * Runs `run` with the lock of a session in a database: two of us at once would give their backups one number. The folders
 * that the lock and the backups need are made, and go again where nothing was to be kept.
 * @param transcriptPath beside which the backups are
 */
export async function withKeepingLock<T>(transcriptPath: string, run: () => Promise<T>): Promise<T> {
  const paths = backupPathsOf(transcriptPath);
  const { folder, sessionsFolder } = paths;
  const made = [folder, sessionsFolder].filter((path) => !existsSync(path));
  const forget = undoAtEnding('folders', () => {
    for (const path of made) if (existsSync(path)) rmdirSync(path);
  });
  try {
    await makeFolder(sessionsFolder);
    return await withTranscriptLock(transcriptPath, async () => {
      await makeBackupFolder(paths);
      sweepLeftovers(folder);
      return run();
    });
  } finally {
    // One stays where anything is in it, as the lock of another one of us is.
    for (const path of made) await rmdir(path).catch(() => {});
    forget();
  }
}
