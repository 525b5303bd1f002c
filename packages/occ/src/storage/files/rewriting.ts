import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { scanTranscriptFile } from '@openbot/sessions';
import { syncFolder } from '@openbot/sessions/disk';
import { scanOpenTranscript, withTranscriptLock } from '@openbot/sessions/transcript';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { listBackupFiles } from '../../backups/backups.ts';
import { readJournal } from '../../backups/journal.ts';
import { copyAsBackup } from '../../backups/make-backup.ts';
import { rotateBackups } from '../../backups/rotate-backups.ts';
import { makeLineReader } from '../../rewrite/apply-plan.ts';
import { assertReadable, openSession } from '../../rewrite/open-session.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { RewritingStorage, SessionLines } from '../contract/rewriting.ts';

export const filesRewriting: RewritingStorage = {
  read,
  backUp,
  listBackups: ({ path }) => listBackupFiles(backupPathsOf(path), path),
};

async function read<T>({ path }: FoundSession, use: (lines: SessionLines) => T): Promise<T> {
  const file = await openTranscript(path);
  try {
    const transcript = await scanOpenTranscript(file, path);
    assertReadable(transcript, path);
    return use({ transcript, readLine: makeLineReader(file, transcript) });
  } finally {
    await file.close();
  }
}

async function openTranscript(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    // Says in words what is wrong with the file.
    await scanTranscriptFile(path);
    throw error;
  }
}

async function backUp({ path }: FoundSession): Promise<string> {
  const paths = backupPathsOf(path);
  return withTranscriptLock(path, async () => {
    const file = await openSession(path);
    try {
      const { byteLength } = await scanOpenTranscript(file, path);
      const backup = await copyAsBackup(path, file, paths, byteLength, readJournal(path));
      await rotateBackups(path);
      await syncFolder(paths.folder);
      return backup.path;
    } finally {
      await file.close();
    }
  });
}
