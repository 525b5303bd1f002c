import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { syncFolder } from '@openbot/sessions/disk';
import { scanOpenTranscript, withTranscriptLock } from '@openbot/sessions/transcript';
import { backupPathsOf } from '../backups/backup-paths.ts';
import { readJournal } from '../backups/journal.ts';
import { copyAsBackup } from '../backups/make-backup.ts';
import { rotateBackups } from '../backups/rotate-backups.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { findSessionAtPath } from '../finding/session-at-path.ts';
import { listFinishedBackups } from '../storage/openclaw-sqlite/unfinished-rewrite.ts';
import { backUpDatabaseSession } from '../storage/openclaw-sqlite/write-backup.ts';
import { executeRestore } from './execute-restore.ts';
import { defaultScope } from './session-ids.ts';

/** Copies a session to a new backup beside it and keeps the five newest. Resolves to its path. */
export async function createBackup(sessionPath: string): Promise<string> {
  const session = findSessionAtPath(await defaultScope(), sessionPath);
  if (session.storage === 'sqlite') return backUpDatabaseSession(session);
  const { path } = session;
  const paths = backupPathsOf(path);
  return withTranscriptLock(path, async () => {
    const session = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { byteLength } = await scanOpenTranscript(session, path);
      const backup = await copyAsBackup(path, session, paths, byteLength, readJournal(path));
      await rotateBackups(path);
      await syncFolder(paths.folder);
      return backup.path;
    } finally {
      await session.close();
    }
  });
}

/** The path of a session's newest backup, or null. */
export async function findLatestBackup(sessionId: string): Promise<string | null> {
  const { session } = await resolveSession(await defaultScope(), sessionId);
  return listFinishedBackups(session).at(-1)?.path ?? null;
}

/** Puts a session's newest backup back; what was said since follows it. */
export async function restoreFromBackup(sessionId: string): Promise<void> {
  await executeRestore({ scope: await defaultScope(), sessionId });
}
