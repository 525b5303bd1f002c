import { unlink } from 'node:fs/promises';
import {
  measureDatabaseTranscript,
  type OpenclawDatabase,
  readOpenclawDatabase,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { listBackupFiles } from '../../backups/backups.ts';
import { isOfDatabase, readJournal, updateJournal } from '../../backups/journal.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { Backup } from '../contract/kept-state.ts';
import { transcriptPathOf } from './transcript-path.ts';

/**
 * A rewrite that was killed before its transaction left a backup of a state that is still the present one, and a record
 * of what never was. Both go.
 */
export async function dropUnfinishedRewrite(
  database: OpenclawDatabase,
  session: FoundSession,
): Promise<void> {
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
export function listFinishedBackups(session: FoundSession): Backup[] {
  const path = transcriptPathOf(session);
  const backups = listBackupFiles(backupPathsOf(path), path);
  if (backups.length === 0) return backups;
  const unfinished = readOpenclawDatabase(session.path, (database) => findUnfinished(database, session));
  return backups.filter(({ number }) => number !== unfinished);
}

/**
 * The number of the backup that such a rewrite left. A session that is shorter than its backup is an older copy of itself,
 * put there by somebody: its backup has more than it has, and stays.
 */
function findUnfinished(database: OpenclawDatabase, session: FoundSession): number | undefined {
  const last = readJournal(transcriptPathOf(session)).rewrites.findLast(isOfDatabase);
  if (last?.generations === undefined) return undefined;
  if (!database.schema.has('transcript_rewrite_watermarks', 'generation')) return undefined;
  const { generation } = readTranscriptVersion(database, session.sessionId);
  if (generation !== last.generations.before || generation === last.generations.after) return undefined;
  const { sizeBytes } = measureDatabaseTranscript(database, session.sessionId);
  return sizeBytes < last.backupBytes ? undefined : last.backup;
}
