import { existsSync } from 'node:fs';
import { RestoreError } from '../errors.ts';
import type { Backup } from '../storage/contract/kept-state.ts';
import { backupPathsOf } from './backup-paths.ts';
import { readJournal } from './journal.ts';
import { findOriginal } from './original.ts';

/** The backup that was asked for, or the newest. */
export function chooseBackup(
  { sessionId, backup, path }: { sessionId: string; backup?: number; path: string },
  backups: readonly Backup[],
): Backup {
  const newest = backups.at(-1);
  if (newest === undefined) {
    throw new RestoreError(`No backup found for session '${sessionId}'`, {
      hint: `The session ${explainNoBackup(path)}`,
      details: { backups: [] },
    });
  }
  if (backup === undefined) return newest;
  const chosen = backups.find(({ number }) => number === backup);
  if (chosen !== undefined) return chosen;
  throw new RestoreError(`Session '${sessionId}' has no backup ${backup}`, {
    hint: `Its backups: ${backups.map(({ number }) => number).join(', ')}; --list shows them`,
  });
}

/** Why a session has no backup, as what it "has". @param path of its transcript, or where that would be */
export function explainNoBackup(path: string): string {
  const paths = backupPathsOf(path);
  if (findOriginal(paths) !== undefined)
    return 'has no backups left except its original: restore that with --original';
  const last = readJournal(path).rewrites.at(-1);
  if (last === undefined) return 'has not been edited';
  const { folder, sessionsFolder, importArchive } = paths;
  const looked = existsSync(importArchive)
    ? [folder, sessionsFolder, importArchive]
    : [folder, sessionsFolder];
  const number = `backup ${last.backup}, made before ${last.kind === 'edit' ? 'an edit' : 'a restore'} at ${last.at},`;
  return `has been edited, but its backups were moved or deleted: ${number} is in none of ${looked.join(', ')}`;
}
