import { basename, dirname, join } from 'node:path';
import { classifySessionFileName } from '@openbot/sessions';
import { resolveProjectsFolder } from './claude-sessions.ts';
import { holdsSessions } from './database-sessions.ts';
import type { SearchPlace, SourceName } from './found-session.ts';
import { readFolderNames, readNames } from './look-at-disk.ts';
import { resolvePiFolder } from './pi-sessions.ts';
import { quoteShellWord } from './shell-words.ts';
import { chooseSources } from './source-choice.ts';
import { databasePathOf, resolveAgents, resolveStateFolder, sessionsFolderOf } from './state-folder.ts';

/** pi's backups stand in a folder of their own. */
const PI_BACKUPS = 'backups';

/** A folder that may hold backups, and where their sessions would be. */
interface BackupFolder {
  readonly backups: string;
  readonly sessions: string;
  /** The agent has a database, so that OpenClaw does not look at files. */
  readonly hasDatabase?: boolean;
}

/** What is left of a session that is gone: where its newest backup is and what can be done with it; undefined where none is. */
export function adviseOnLeftBackup(place: SearchPlace, name: string): string | undefined {
  const folders = chooseSources(place).flatMap((source) => listBackupFolders(source, place));
  return advise(folders, name, true);
}

/** The same for one that was named by the path of its transcript. */
export function adviseOnBackupBeside(path: string, stem: string): string | undefined {
  const sessions = dirname(path);
  return advise(
    [
      { backups: sessions, sessions },
      { backups: join(sessions, PI_BACKUPS), sessions },
    ],
    stem,
    false,
  );
}

function listBackupFolders(source: SourceName, place: SearchPlace): BackupFolder[] {
  switch (source) {
    case 'openclaw': {
      const stateFolder = resolveStateFolder(place);
      return resolveAgents(place, stateFolder).map((agentId) => {
        const sessions = sessionsFolderOf(stateFolder, agentId);
        const isInDatabase = holdsSessions(databasePathOf(stateFolder, agentId));
        return { backups: sessions, sessions, hasDatabase: isInDatabase };
      });
    }
    case 'pi': {
      const { folder, isFlat } = resolvePiFolder(place);
      const folders = isFlat ? [folder] : readFolderNames(folder).map((name) => join(folder, name));
      return folders.map((sessions) => ({ backups: join(sessions, PI_BACKUPS), sessions }));
    }
    case 'claude': {
      const projects = resolveProjectsFolder(place);
      return readFolderNames(projects).map((name) => {
        const sessions = join(projects, name);
        return { backups: sessions, sessions };
      });
    }
  }
}

interface LeftBackup extends BackupFolder {
  readonly name: string;
  readonly stem: string;
  readonly number: number;
}

/** A name that could mean the backups of several sessions says nothing of any. */
function advise(folders: readonly BackupFolder[], name: string, mayBeBeginning: boolean): string | undefined {
  const all = folders.flatMap(listBackupsIn);
  const wanted = name.toLowerCase();
  const exact = all.filter(({ stem }) => stem.toLowerCase() === wanted || stem.endsWith(`_${name}`));
  const begun = all.filter(({ stem }) => mayBeBeginning && stem.toLowerCase().startsWith(wanted));
  const found = exact.length > 0 ? exact : begun;
  const newest = found.toSorted((a, b) => b.number - a.number)[0];
  if (newest === undefined || new Set(found.map(({ stem }) => stem)).size > 1) return undefined;
  const path = join(newest.backups, newest.name);
  const limit = newest.hasDatabase ? ' (for occ: OpenClaw itself reads its database)' : '';
  return `Backups of it are left. To make the newest ${copyBack(path, newest.sessions, newest.stem)}${limit}`;
}

/** What can be done with a backup whose session is gone. */
export function adviseOnBackupAt(path: string): string {
  const folder = dirname(path);
  const sessions = basename(folder) === PI_BACKUPS ? dirname(folder) : folder;
  return `Its session is gone. To make it ${copyBack(path, sessions, stemOf(basename(path)) ?? basename(path))}`;
}

function copyBack(path: string, folder: string, stem: string): string {
  const words = ['cp', path, join(folder, `${stem}.jsonl`)];
  return `a session again, in a file: ${words.map(quoteShellWord).join(' ')}`;
}

function stemOf(name: string): string | undefined {
  const known = classifySessionFileName(name);
  return known.kind === 'backup' ? known.sessionId : undefined;
}

function listBackupsIn(folder: BackupFolder): LeftBackup[] {
  return namesIn(folder.backups).flatMap((name) => {
    const known = classifySessionFileName(name);
    return known.kind === 'backup' ? [{ ...folder, name, stem: known.sessionId, number: known.number }] : [];
  });
}

/** What cannot be read is no reason to fail with something else. */
function namesIn(folder: string): string[] {
  try {
    return readNames(folder);
  } catch {
    return [];
  }
}
