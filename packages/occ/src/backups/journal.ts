import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { withLock, writeFileAtomic } from '@openbot/sessions/disk';
import type { RewriteRecord } from '../storage/contract/kept-state.ts';
import { MAX_BACKUP_NUMBER } from './backup-names.ts';
import { type BackupPaths, backupPathsOf } from './backup-paths.ts';
import { MAX_BACKUPS } from './backups.ts';
import { makeBackupFolder } from './make-backup-folder.ts';
import { isScheduledEdit, type ScheduledEdit } from './scheduled-edit.ts';

/** What occ knows of a session's past. */
export interface Journal {
  readonly rewrites: readonly RewriteRecord[];
  readonly scheduled?: ScheduledEdit;
  readonly original?: OriginalNote;
}

/** What is known of the state that is kept as the original. */
export interface OriginalNote {
  /** The number of the backup that it was. */
  readonly backup: number;
  readonly sizeBytes: number;
  /** Of the rewrite that the backup was made for. */
  readonly record?: RewriteRecord;
}

const EMPTY: Journal = { rewrites: [] };

/** A journal that is missing, torn or foreign is an empty one: it only helps, and nothing depends on it alone. */
export function readJournal(path: string): Journal {
  try {
    const value: unknown = JSON.parse(readJournalText(backupPathsOf(path)));
    if (typeof value !== 'object' || value === null) return EMPTY;
    const { rewrites, scheduled, original } = value as Partial<Journal>;
    return {
      rewrites: Array.isArray(rewrites) ? rewrites.filter(isRewriteRecord) : [],
      ...(isScheduledEdit(scheduled) ? { scheduled } : {}),
      ...(isOriginalNote(original) ? { original } : {}),
    };
  } catch {
    return EMPTY;
  }
}

/** That of an earlier version counts until one is written in its place. */
function readJournalText({ journalPath, formerJournalPath }: BackupPaths): string {
  try {
    return readFileSync(journalPath, 'utf8');
  } catch {
    return readFileSync(formerJournalPath, 'utf8');
  }
}

/**
 * Changes the journal in one step; one with nothing in it goes. It has a lock of its own: who schedules an edit cannot
 * have the transcript's.
 */
export async function updateJournal(path: string, change: (journal: Journal) => Journal): Promise<void> {
  const paths = backupPathsOf(path);
  const { journalPath, formerJournalPath } = paths;
  await makeBackupFolder(paths);
  await withLock(`${journalPath}.lock`, {}, async () => {
    const journal = change(readJournal(path));
    const { rewrites, scheduled, original } = journal;
    if (rewrites.length === 0 && scheduled === undefined && original === undefined) {
      await rm(formerJournalPath, { force: true });
      return rm(journalPath, { force: true });
    }
    await writeFileAtomic(journalPath, `${JSON.stringify(journal, null, 2)}\n`, { mode: 0o600 });
    await rm(formerJournalPath, { force: true });
  });
}

/** Adds a record of a rewrite that is about to take place. */
export function addRecord(path: string, record: RewriteRecord): Promise<void> {
  return updateJournal(path, (journal) => ({ ...journal, rewrites: [...journal.rewrites, record] }));
}

/**
 * Drops records whose backups are gone, all but a few, once there are many. Only after a rewrite: one that fails takes its
 * own record back, and must leave the others.
 * @param oldest the number of the oldest backup that is there
 */
export async function forgetOldRecords(path: string, oldest: number): Promise<void> {
  const isOld = (record: RewriteRecord, at: number, { length }: readonly RewriteRecord[]) =>
    record.backup < oldest && at < length - FEW_RECORDS;
  if (readJournal(path).rewrites.filter(isOld).length < FEW_RECORDS) return;
  await updateJournal(path, (journal) => ({
    ...journal,
    rewrites: journal.rewrites.filter((...record) => !isOld(...record)),
  }));
}

const FEW_RECORDS = 2 * MAX_BACKUPS;

/** Changes the record of a backup; undefined drops it. */
export function changeRecord(
  path: string,
  backup: number,
  change: (record: RewriteRecord) => RewriteRecord | undefined,
): Promise<void> {
  return updateJournal(path, (journal) => ({
    ...journal,
    rewrites: journal.rewrites.flatMap((record) =>
      record.backup === backup ? (change(record) ?? []) : [record],
    ),
  }));
}

function isRewriteRecord(value: unknown): value is RewriteRecord {
  const record = value as Partial<RewriteRecord> | null;
  return (
    typeof record === 'object' &&
    record !== null &&
    (record.kind === 'edit' || record.kind === 'restore') &&
    isCount(record.backup, MAX_BACKUP_NUMBER) &&
    isCount(record.backupBytes) &&
    isCount(record.resultBytes) &&
    (record.carriedTo === undefined || isCount(record.carriedTo)) &&
    typeof record.resultHash === 'string'
  );
}

function isOriginalNote(value: unknown): value is OriginalNote {
  const note = value as Partial<OriginalNote> | null;
  return (
    typeof note === 'object' &&
    note !== null &&
    isCount(note.backup, MAX_BACKUP_NUMBER) &&
    isCount(note.sizeBytes) &&
    (note.record === undefined || isRewriteRecord(note.record))
  );
}

function isCount(value: unknown, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
