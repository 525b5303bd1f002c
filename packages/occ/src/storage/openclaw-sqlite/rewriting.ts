import { existsSync, rmdirSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { makeFolder, sweepLeftovers, syncFolder, undoAtEnding } from '@openbot/sessions/disk';
import {
  assertWritable,
  iterateEventLines,
  measureDatabaseTranscript,
  type OpenclawDatabase,
  openDatabaseWhenFree,
  readOpenclawDatabase,
  readTranscriptVersion,
  whileWriting,
} from '@openbot/sessions/openclaw-database';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { backupPathOf, backupPathsOf } from '../../backups/backup-paths.ts';
import { listBackupFiles } from '../../backups/backups.ts';
import { readJournal, updateJournal } from '../../backups/journal.ts';
import { nextBackupNumber } from '../../backups/make-backup.ts';
import { makeBackupFolder } from '../../backups/make-backup-folder.ts';
import { type RotationOptions, rotateBackups } from '../../backups/rotate-backups.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { Backup } from '../contract/kept-state.ts';
import type { RewritingStorage } from '../contract/rewriting.ts';
import { prepareRowClone } from './clone-rows.ts';
import { readSession, readSessionToRewrite } from './readable-session.ts';
import { isRowRecord } from './replace-rows.ts';
import { KeptStates } from './restored-lines.ts';
import { openRowLines } from './row-lines.ts';
import { openRowState } from './row-state.ts';
import { stageFromDatabase } from './staged-file.ts';
import { transcriptPathOf } from './transcript-path.ts';

export const sqliteRewriting: RewritingStorage = {
  read: async ({ path, sessionId }, use) =>
    readOpenclawDatabase(path, (database) => use(readSession(database, sessionId))),
  openLines: async ({ path, sessionId }) => openRowLines(path, sessionId),
  readToRewrite: async (session, { force }, use) => {
    const { path, sessionId } = session;
    transcriptPathOf(session);
    return readOpenclawDatabase(path, (database) => {
      assertWritable(database, force ?? false);
      return use(readSessionToRewrite(database, sessionId));
    });
  },
  hold: (session, { force, waitMs }, use) =>
    withSessionLock(transcriptPathOf(session), async () => {
      const database = await openDatabaseWhenFree(session.path, { force, waitMs });
      const keptStates = new KeptStates();
      try {
        await dropUnfinishedRewrite(database, session);
        return await use({
          open: async () => openRowState(database, session, keptStates),
          keepWritersOut: (rewrite) => whileWriting(database, rewrite),
          isOwn: isRowRecord,
        });
      } finally {
        keptStates.close();
        database.close();
      }
    }),
  prepareClone: prepareRowClone,
  backUp: backUpRows,
  listBackups,
};

/** A backup of a session that stays as it is. */
async function backUpRows(session: FoundSession, options?: RotationOptions): Promise<string> {
  const { sessionId } = session;
  const transcriptPath = transcriptPathOf(session);
  const paths = backupPathsOf(transcriptPath);
  return withSessionLock(transcriptPath, async () => {
    const journal = readJournal(transcriptPath);
    const path = backupPathOf(paths, nextBackupNumber(paths, journal));
    const { file } = stageFromDatabase(session.path, path, (database, backup) => {
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

/**
 * Runs `run` with the lock of a session in a database: two of us at once would give their backups one number. The folders
 * that the lock and the backups need are made, and go again where nothing was to be kept.
 * @param transcriptPath beside which the backups are
 */
async function withSessionLock<T>(transcriptPath: string, run: () => Promise<T>): Promise<T> {
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

/**
 * A rewrite that was killed before its transaction left a backup of a state that is still the present one, and a record
 * of what never was. Both go.
 */
async function dropUnfinishedRewrite(database: OpenclawDatabase, session: FoundSession): Promise<void> {
  const path = transcriptPathOf(session);
  const unfinished = findUnfinished(database, session);
  if (unfinished === undefined) return;
  const left = listBackupFiles(backupPathsOf(path), path).find(({ number }) => number === unfinished);
  if (left !== undefined) await unlink(left.path).catch(() => {});
  await updateJournal(path, (journal) => ({
    ...journal,
    rewrites: journal.rewrites.filter(({ backup }) => backup !== unfinished),
  }));
}

/** The backups of rewrites that took place, oldest first. Changes nothing. */
export function listBackups(session: FoundSession): Backup[] {
  const path = transcriptPathOf(session);
  const backups = listBackupFiles(backupPathsOf(path), path);
  if (backups.length === 0) return backups;
  const unfinished = readOpenclawDatabase(session.path, (database) => findUnfinished(database, session));
  return backups.filter(({ number }) => number !== unfinished);
}

/**
 * The number of the backup that such a rewrite left. A session that is shorter than its backup is an older copy of itself,
 * put there by a person: its backup has more than it has, and stays.
 */
function findUnfinished(database: OpenclawDatabase, session: FoundSession): number | undefined {
  const last = readJournal(transcriptPathOf(session)).rewrites.findLast(isRowRecord);
  if (last?.generations === undefined) return undefined;
  if (!database.schema.has('transcript_rewrite_watermarks', 'generation')) return undefined;
  const { generation } = readTranscriptVersion(database, session.sessionId);
  if (generation !== last.generations.before || generation === last.generations.after) return undefined;
  const { sizeBytes } = measureDatabaseTranscript(database, session.sessionId);
  return sizeBytes < last.backupBytes ? undefined : last.backup;
}
