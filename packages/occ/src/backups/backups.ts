import { lstatSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backup } from '../storage/contract/kept-state.ts';
import { readArchivedBackupName, readBackupName, readKeptPath } from './backup-names.ts';
import { type BackupPaths, backupPathsOf } from './backup-paths.ts';

export const MAX_BACKUPS = 5;

/** The backups of a session, oldest first. */
export function listBackupFiles(paths: BackupPaths, sessionPath: string): Backup[] {
  return lookAtBackups(paths, sessionPath).backups;
}

/** The highest number that a name of a backup has, whatever has that name; 0 where there is none. */
export function highestBackupNumber(paths: BackupPaths): number {
  return Math.max(0, ...listNames(paths).map(({ number }) => number));
}

/**
 * Takes away what an edit left that was killed before the swap: the second name of a file that is still the session.
 * @returns its numbers
 */
export async function dropUnfinishedBackups(paths: BackupPaths, sessionPath: string): Promise<number[]> {
  const { unfinished } = lookAtBackups(paths, sessionPath);
  for (const { path } of unfinished) await unlink(path);
  return unfinished.map(({ number }) => number);
}

function lookAtBackups(paths: BackupPaths, sessionPath: string): { backups: Backup[]; unfinished: Backup[] } {
  // Of the name itself: a link to a backup is no session that has a second name.
  const session = lstatSync(sessionPath, { throwIfNoEntry: false });
  const backups = new Map<number, Backup>();
  const unfinished: Backup[] = [];
  for (const { number, path, keptIn } of listNames(paths)) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const isSession = stat.nlink > 1 && stat.ino === session?.ino && stat.dev === session.dev;
    const found = { number, path, sizeBytes: stat.size, createdAt: stat.ctimeMs, keptIn };
    if (isSession) unfinished.push(found);
    // An earlier version, used in between, may have given a number once more.
    else if (!backups.has(number)) backups.set(number, found);
  }
  return { backups: [...backups.values()].sort((a, b) => a.number - b.number), unfinished };
}

/**
 * Returns a function that says whether a session has a backup or an original, judged by names alone. Every folder is read
 * once, however many sessions are asked about.
 */
export function makeBackupFinder(): (transcriptPath: string) => boolean {
  const stemsIn = remember((folder) => {
    const kept = namesIn(folder).flatMap((name) => readKeptPath(join(folder, name)) ?? []);
    return new Set(kept.map(({ transcriptPath }) => backupPathsOf(transcriptPath).stem));
  });
  const archivedIn = remember((folder) => namesIn(folder).filter((name) => name.includes('.backup.')));
  return (transcriptPath) => {
    const { folder, sessionsFolder, importArchive, stem } = backupPathsOf(transcriptPath);
    return (
      stemsIn(folder).has(stem) ||
      stemsIn(sessionsFolder).has(stem) ||
      archivedIn(importArchive).some((name) => readArchivedBackupName(name, stem) !== undefined)
    );
  };
}

function remember<T>(read: (folder: string) => T): (folder: string) => T {
  const known = new Map<string, T>();
  return (folder) => {
    if (!known.has(folder)) known.set(folder, read(folder));
    return known.get(folder)!;
  };
}

type NamedBackup = Pick<Backup, 'number' | 'path' | 'keptIn'>;

function listNames({ folder, sessionsFolder, importArchive, stem }: BackupPaths): NamedBackup[] {
  const inFolder = (at: string, keptIn: Backup['keptIn'], readName: typeof readArchivedBackupName) =>
    namesIn(at).flatMap((name) => {
      const known = readName(name, stem);
      return known?.stem === stem ? [{ number: known.number, path: join(at, name), keptIn }] : [];
    });
  return [
    ...inFolder(folder, 'backups', readBackupName),
    ...inFolder(sessionsFolder, 'sessions', readBackupName),
    ...inFolder(importArchive, 'import archive', readArchivedBackupName),
  ];
}

const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR']);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (NO_FOLDER.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
