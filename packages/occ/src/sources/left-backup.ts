import { basename, dirname, join } from 'node:path';
import { backupFolderOf, readBackupName } from './backup-names.ts';
import { resolveProjectsFolder } from './claude-sessions.ts';
import { holdsSessions } from './database-sessions.ts';
import type { SearchPlace, SourceName } from './found-session.ts';
import { readFolderNames, readNames } from './look-at-disk.ts';
import { resolvePiFolder } from './pi-sessions.ts';
import { quoteShellWord } from './shell-words.ts';
import { chooseSources } from './source-choice.ts';
import { resolveAgents, resolveLayout } from './state-folder.ts';

/** A sessions folder that may have backups of sessions that are gone. */
interface SessionsFolder {
  readonly sessions: string;
  /** The agent has a database, so that OpenClaw does not look at files. */
  readonly hasDatabase?: boolean;
}

/** What is left of a session that is gone: where its newest backup is and what can be done with it; undefined where none is. */
export function adviseOnLeftBackup(place: SearchPlace, name: string): string | undefined {
  const folders = chooseSources(place).flatMap((source) => listSessionsFolders(source, place));
  return advise(folders, name, true);
}

/** The same for one that was named by the path of its transcript. */
export function adviseOnBackupBeside(path: string, stem: string): string | undefined {
  return advise([{ sessions: dirname(path) }], stem, false);
}

function listSessionsFolders(source: SourceName, place: SearchPlace): SessionsFolder[] {
  switch (source) {
    case 'openclaw': {
      const layout = resolveLayout(place);
      return resolveAgents(place, layout).map((agentId) => ({
        sessions: dirname(layout.storePathOf(agentId)),
        hasDatabase: holdsSessions(layout.databasePathOf(agentId)),
      }));
    }
    case 'pi': {
      const { folder, isFlat } = resolvePiFolder(place);
      const folders = isFlat ? [folder] : readFolderNames(folder).map((name) => join(folder, name));
      return folders.map((sessions) => ({ sessions }));
    }
    case 'claude': {
      const projects = resolveProjectsFolder(place);
      return readFolderNames(projects).map((name) => ({ sessions: join(projects, name) }));
    }
  }
}

interface LeftBackup extends SessionsFolder {
  readonly path: string;
  readonly stem: string;
  readonly number: number;
}

/** A name that could mean the backups of several sessions says nothing of any. */
function advise(
  folders: readonly SessionsFolder[],
  name: string,
  mayBeBeginning: boolean,
): string | undefined {
  const all = folders.flatMap(listBackupsIn);
  const wanted = name.toLowerCase();
  const exact = all.filter(({ stem }) => stem.toLowerCase() === wanted || stem.endsWith(`_${name}`));
  const begun = all.filter(({ stem }) => mayBeBeginning && stem.toLowerCase().startsWith(wanted));
  const found = exact.length > 0 ? exact : begun;
  const newest = found.toSorted((a, b) => b.number - a.number)[0];
  if (newest === undefined || new Set(found.map(({ stem }) => stem)).size > 1) return undefined;
  const limit = newest.hasDatabase ? ' (for occ: OpenClaw itself reads its database)' : '';
  return `Backups of it are left. To make the newest ${copyBack(newest.path, newest.sessions, newest.stem)}${limit}`;
}

/** What can be done with a backup whose session is gone. */
export function adviseOnBackupAt(path: string): string {
  const folder = dirname(path);
  const isBelow = folder === backupFolderOf(dirname(folder));
  const stem = readBackupName(basename(path))?.stem ?? basename(path);
  return `Its session is gone. To make it ${copyBack(path, isBelow ? dirname(folder) : folder, stem)}`;
}

function copyBack(path: string, folder: string, stem: string): string {
  const words = ['cp', path, join(folder, `${stem}.jsonl`)];
  return `a session again, in a file: ${words.map(quoteShellWord).join(' ')}`;
}

/** In both places that backups are or were kept in. */
function listBackupsIn(folder: SessionsFolder): LeftBackup[] {
  return [backupFolderOf(folder.sessions), folder.sessions].flatMap((at) =>
    namesIn(at).flatMap((name) => {
      const known = readBackupName(name);
      return known === undefined ? [] : [{ ...folder, ...known, path: join(at, name) }];
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
