import { readdirSync, statSync } from 'node:fs';
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
export function listBackupFiles({ folder, stem }: KeepingPlace): Backup[] {
  const backups: Backup[] = [];
  for (const name of namesIn(folder)) {
    if (!name.startsWith(`${stem}.backup.`)) continue;
    const kind = classifySessionFileName(name);
    if (kind.kind !== 'backup' || kind.sessionId !== stem) continue;
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) {
      backups.push({ number: kind.number, path, sizeBytes: stat.size, createdAt: stat.mtimeMs });
    }
  }
  return backups.sort((a, b) => a.number - b.number);
}

/** Keeps the newest ones. One that cannot be removed stays and does no harm. */
export async function rotateBackups(place: KeepingPlace): Promise<void> {
  const old = listBackupFiles(place).slice(0, -MAX_BACKUPS);
  for (const { path } of old) await unlink(path).catch(() => {});
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
