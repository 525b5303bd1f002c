import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { isSessionId, transcriptFileName } from '@openbot/sessions/layout';
import { shortenText } from '../errors.ts';
import { OWN_FOLDER_ENDING, readDatabasePlace } from '../layout/state-folder.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
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

/**
 * The transcript of a session, beside which its backups are. The lines of one in OpenClaw's database have no file: it is
 * the one that they would be in. Fails for an id that would lead elsewhere.
 */
export function transcriptPathOf({ path, storage, sessionId }: FoundSession): string {
  if (storage !== 'sqlite') return path;
  if (!isSessionId(sessionId)) throw unnameable(sessionId);
  return join(sessionsFolderBeside(path), transcriptFileName(sessionId));
}

/** Databases that stand in no state folder may stand side by side, as copies of one: each has a folder of its own. */
function sessionsFolderBeside(database: string): string {
  const path = readDatabasePlace(database) === undefined ? resolveLinks(database) : database;
  return readDatabasePlace(path) === undefined
    ? path + OWN_FOLDER_ENDING
    : join(dirname(dirname(path)), 'sessions');
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unnameable(sessionId: string): OpenBotError {
  return new OpenBotError(
    'SESSION_UNSUPPORTED',
    `Session '${shortenText(sessionId)}' cannot be changed: its id is no name for a file, and so there is no place for its backup`,
    { hint: 'Nothing was changed. occ clone copies it to an id of its own, which can be changed' },
  );
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
