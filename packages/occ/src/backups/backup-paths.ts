import { basename, dirname, join } from 'node:path';
import { backupFolderOf, importArchiveOf } from './backup-names.ts';

/** Where the backups and the journal of a session are. */
export interface BackupPaths {
  readonly folder: string;
  /** The name of the transcript without its ending. */
  readonly stem: string;
  readonly journalPath: string;
  /** Earlier versions kept both beside the transcript. */
  readonly sessionsFolder: string;
  readonly formerJournalPath: string;
  /** What was beside the transcripts when OpenClaw imported them into its database. */
  readonly importArchive: string;
}

export function backupPathsOf(path: string): BackupPaths {
  const stem = basename(path).replace(/\.jsonl$/, '');
  const sessionsFolder = dirname(path);
  const folder = backupFolderOf(sessionsFolder);
  const journal = `${stem}.occ.json`;
  return {
    folder,
    stem,
    journalPath: join(folder, journal),
    sessionsFolder,
    formerJournalPath: join(sessionsFolder, journal),
    importArchive: importArchiveOf(sessionsFolder),
  };
}

export function backupPathOf({ folder, stem }: BackupPaths, number: number): string {
  return join(folder, `${stem}.backup.${number}.jsonl`);
}
