import { dirname, join } from 'node:path';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { type BackupName, backupFolderOf, readBackupName } from '../backups/backup-names.ts';
import { readFolderNames, readNames } from '../layout/look-at-disk.ts';
import { resolveAgents, resolveLayout } from '../layout/state-folder.ts';
import { resolveProjectsFolder } from '../storage/claude/claude-sessions.ts';
import type { SearchScope, SourceName } from '../storage/contract/found-session.ts';
import { resolvePiFolder } from '../storage/pi/pi-sessions.ts';
import { chooseSources } from './source-choice.ts';

/** What is left of a session that is gone: where its newest backup is and what can be done with it; undefined where none is. */
export function adviseOnLeftBackup(scope: SearchScope, name: string): string | undefined {
  const folders = chooseSources(scope).flatMap((source) => listSessionsFolders(source, scope));
  return advise(folders, name, true);
}

/** The same for one that was named by the path of its transcript. */
export function adviseOnBackupBeside(path: string, stem: string): string | undefined {
  return advise([dirname(path)], stem, false);
}

/** Those that may have backups of sessions that are gone. */
function listSessionsFolders(source: SourceName, scope: SearchScope): string[] {
  switch (source) {
    case 'openclaw': {
      const layout = resolveLayout(scope);
      return resolveAgents(scope, layout).map((agentId) => dirname(layout.storePathOf(agentId)));
    }
    case 'pi': {
      const { folder, isFlat } = resolvePiFolder(scope);
      return isFlat ? [folder] : readFolderNames(folder).map((name) => join(folder, name));
    }
    case 'claude': {
      const projects = resolveProjectsFolder(scope);
      return readFolderNames(projects).map((name) => join(projects, name));
    }
  }
}

interface LeftBackup extends BackupName {
  readonly path: string;
}

/** A name that could mean the backups of several sessions says nothing of any. */
function advise(folders: readonly string[], name: string, mayBeBeginning: boolean): string | undefined {
  const all = folders.flatMap(listBackupsIn);
  const wanted = name.toLowerCase();
  const exact = all.filter(({ stem }) => stem.toLowerCase() === wanted || stem.endsWith(`_${name}`));
  const begun = all.filter(({ stem }) => mayBeBeginning && stem.toLowerCase().startsWith(wanted));
  const found = exact.length > 0 ? exact : begun;
  const newest = found.toSorted((a, b) => b.number - a.number)[0];
  if (newest === undefined || new Set(found.map(({ stem }) => stem)).size > 1) return undefined;
  return `Backups of it are left. To make a session of the newest: ${cloneCommand(newest.path)}`;
}

/** Makes a session of a backup or an original, wherever its program keeps sessions now. */
export function cloneCommand(path: string): string {
  return `occ clone ${quoteForShell(path)}`;
}

/** In both places that backups are or were kept in. */
function listBackupsIn(folder: string): LeftBackup[] {
  return [backupFolderOf(folder), folder].flatMap((at) =>
    namesIn(at).flatMap((name) => {
      const known = readBackupName(name);
      return known === undefined ? [] : [{ ...known, path: join(at, name) }];
    }),
  );
}

/** What cannot be read is no reason to fail with something else. */
function namesIn(folder: string): string[] {
  try {
    return readNames(folder);
  } catch {
    return [];
  }
}
