import { lstatSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { classifySessionFileName } from '@openbot/sessions';
import type { KeepingPlace } from './place.ts';

export const MAX_BACKUPS = 5;

export interface Backup {
  readonly number: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly createdAt: number;
}

/** The backups of a session, oldest first. */
export function listBackupFiles(place: KeepingPlace, sessionPath: string): Backup[] {
  return lookAtBackups(place, sessionPath).backups;
}

/**
 * Takes away what an edit left that was killed before the swap: the second name of a file that is still the session.
 * @returns its numbers
 */
export async function dropUnfinishedBackups(place: KeepingPlace, sessionPath: string): Promise<number[]> {
  const { unfinished } = lookAtBackups(place, sessionPath);
  for (const { path } of unfinished) await unlink(path);
  return unfinished.map(({ number }) => number);
}

/**
 * Keeps the newest ones. One that cannot be removed stays and does no harm.
 * @param spared stays too, with those behind it, which hold what was said since it was made
 */
export async function rotateBackups(
  place: KeepingPlace,
  sessionPath: string,
  spared = Number.POSITIVE_INFINITY,
): Promise<void> {
  const old = listBackupFiles(place, sessionPath).slice(0, -MAX_BACKUPS);
  for (const { number, path } of old) if (number < spared) await unlink(path).catch(() => {});
}

function lookAtBackups(
  { folder, stem }: KeepingPlace,
  sessionPath: string,
): { backups: Backup[]; unfinished: Backup[] } {
  // Of the name itself: a link to a backup is no session that has a second name.
  const session = lstatSync(sessionPath, { throwIfNoEntry: false });
  const backups: Backup[] = [];
  const unfinished: Backup[] = [];
  for (const name of namesIn(folder)) {
    if (!name.startsWith(`${stem}.backup.`)) continue;
    const kind = classifySessionFileName(name);
    if (kind.kind !== 'backup' || kind.sessionId !== stem) continue;
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const isSession = stat.nlink > 1 && stat.ino === session?.ino && stat.dev === session.dev;
    const found = { number: kind.number, path, sizeBytes: stat.size, createdAt: stat.ctimeMs };
    (isSession ? unfinished : backups).push(found);
  }
  backups.sort((a, b) => a.number - b.number);
  return { backups, unfinished };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
