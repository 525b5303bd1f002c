import { dirname, join } from 'node:path';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { type BackupName, backupFolderOf, readBackupName } from '../backups/backup-names.ts';
import { readNames } from '../layout/look-at-disk.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import { chooseSources } from './source-choice.ts';

/** A hint to the newest backup of a session that is gone; undefined where it has none. */
export function adviseOnLeftBackup(scope: SearchScope, name: string): string | undefined {
  const folders = chooseSources(scope).flatMap((source) => source.sessionsFolders(scope));
  return advise(folders, name, true);
}

/** The same for a session that was named by the path of its transcript. */
export function adviseOnBackupBeside(path: string, stem: string): string | undefined {
  return advise([dirname(path)], stem, false);
}

interface LeftBackup extends BackupName {
  readonly path: string;
}

/** Undefined where the name fits the backups of several sessions. */
function advise(folders: readonly string[], name: string, mayBeBeginning: boolean): string | undefined {
  const all = folders.flatMap(listBackupsIn);
  const wanted = name.toLowerCase();
  const exact = all.filter(({ stem }) => stem.toLowerCase() === wanted || stem.endsWith(`_${name}`));
  const begun = all.filter(({ stem }) => mayBeBeginning && stem.toLowerCase().startsWith(wanted));
  const found = exact.length > 0 ? exact : begun;
  const newest = found.toSorted((a, b) => b.number - a.number)[0];
  if (newest === undefined || new Set(found.map(({ stem }) => stem)).size > 1) return undefined;
  return `Backups of it exist. To make a session from the newest: ${cloneCommand(newest.path)}`;
}

/** The command that makes a session of a backup or an original. */
export function cloneCommand(path: string): string {
  return `occ clone ${quoteForShell(path)}`;
}

/** In both folders that backups are or were kept in. */
function listBackupsIn(folder: string): LeftBackup[] {
  return [backupFolderOf(folder), folder].flatMap((at) =>
    namesIn(at).flatMap((name) => {
      const known = readBackupName(name);
      return known === undefined ? [] : [{ ...known, path: join(at, name) }];
    }),
  );
}

/** The search for a hint must not replace the error that it belongs to. */
function namesIn(folder: string): string[] {
  try {
    return readNames(folder);
  } catch {
    return [];
  }
}
