import { basename, dirname, join } from 'node:path';
import { classifySessionFileName } from '@openbot/sessions/layout';

/** OpenClaw and pi take every `.jsonl` of their folder for a session, so that backups are one folder below. */
export function backupFolderOf(sessionsFolder: string): string {
  return join(sessionsFolder, 'backups');
}

/** Where OpenClaw puts the files of a sessions folder that it imported into its database. */
export function importArchiveOf(sessionsFolder: string): string {
  return join(dirname(sessionsFolder), 'session-sqlite-import-archive');
}

export interface BackupName {
  readonly stem: string;
  readonly number: number;
}

/** A higher number was never given. */
export const MAX_BACKUP_NUMBER = 1_000_000_000;

/** Undefined for what is not the name of a backup. */
export function readBackupName(name: string): BackupName | undefined {
  const known = classifySessionFileName(name);
  if (known.kind !== 'backup' || known.number > MAX_BACKUP_NUMBER) return undefined;
  return { stem: known.sessionId, number: known.number };
}

const ORIGINAL_ENDING = '.original.jsonl.zst';

export function originalNameOf(stem: string): string {
  return stem + ORIGINAL_ENDING;
}

/** The name of the transcript without its ending; undefined for what is not the name of an original. */
function readOriginalName(name: string): string | undefined {
  return name.endsWith(ORIGINAL_ENDING) ? name.slice(0, -ORIGINAL_ENDING.length) || undefined : undefined;
}

/** Whether a name in the import archive, `<key>.<name>.imported-<time>`, is that of a backup of this session. */
export function readArchivedBackupName(name: string, stem: string): BackupName | undefined {
  const [, original] = /^(.+)\.imported-\d+(?:\.\d+)?$/.exec(name) ?? [];
  const known = original === undefined ? undefined : readBackupName(original);
  // OpenClaw replaces what it does not want in a name.
  const archivedStem = stem.replace(/[^A-Za-z0-9_.-]+/g, '_');
  if (known === undefined || !`.${known.stem}`.endsWith(`.${archivedStem}`)) return undefined;
  return { stem, number: known.number };
}

/** A state of a session that is kept in a file of its own: a backup, or the original. */
export interface KeptFile {
  readonly path: string;
  /** Of a backup. */
  readonly number?: number;
  /** Compressed, as the original is. */
  readonly isPacked: boolean;
  /** Where the transcript of the session is, or was. */
  readonly transcriptPath: string;
}

/** Judges by the name alone. Undefined for any other file. */
export function readKeptPath(path: string): KeptFile | undefined {
  const name = basename(path);
  const backup = readBackupName(name);
  const stem = backup?.stem ?? readOriginalName(name);
  if (stem === undefined) return undefined;
  const folder = dirname(path);
  const parent = dirname(folder);
  // Earlier versions kept backups beside the transcripts.
  const sessionsFolder = folder === backupFolderOf(parent) ? parent : folder;
  return {
    path,
    number: backup?.number,
    isPacked: backup === undefined,
    transcriptPath: join(sessionsFolder, `${stem}.jsonl`),
  };
}
