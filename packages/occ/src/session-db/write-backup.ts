import { makeFolder, syncFolder, withTranscriptLock } from '@openbot/sessions';
import {
  iterateEventLines,
  type OpenclawDatabase,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import { rotateBackups } from '../session-file/backups.ts';
import { readJournal } from '../session-file/journal.ts';
import { nextBackupNumber } from '../session-file/make-backup.ts';
import { backupPathOf, keepingPlaceOf, transcriptPathOf } from '../session-file/place.ts';
import type { FoundSession } from '../sources/found-session.ts';
import { readSession } from './readable-session.ts';
import { UnnamedFile } from './unnamed-file.ts';

/** Writes lines, each with its end, to a new file, synced but for its folder. */
export function writeLinesToFile(path: string, lines: Iterable<Buffer>): void {
  const file = new UnnamedFile(path);
  try {
    for (const line of lines) file.put(line);
    file.sync();
    file.name();
    file.close();
  } catch (error) {
    file.drop();
    throw error;
  }
}

export function writeBackupOf(database: OpenclawDatabase, sessionId: string, path: string): void {
  writeLinesToFile(path, iterateEventLines(database, sessionId));
}

/** A backup of a session that stays as it is. */
export async function backUpDatabaseSession(session: FoundSession): Promise<string> {
  const transcriptPath = transcriptPathOf(session);
  const place = keepingPlaceOf(transcriptPath, session.source);
  await makeFolder(place.folder);
  return withTranscriptLock(transcriptPath, async () => {
    const journal = readJournal(transcriptPath, session.source);
    const path = backupPathOf(place, nextBackupNumber(transcriptPath, place, journal));
    readOpenclawDatabase(session.path, (database) => {
      readSession(database, session.sessionId);
      writeBackupOf(database, session.sessionId, path);
    });
    await rotateBackups(place, transcriptPath);
    await syncFolder(place.folder);
    return path;
  });
}
