import { constants, lstatSync } from 'node:fs';
import { copyFile, type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { giveToFolderOwner, linkNew, makeLeftoverPath } from '@openbot/sessions/disk';
import { SourceChanged } from '@openbot/sessions/rewrite';
import { type BackupPaths, backupPathOf } from './backup-paths.ts';
import { highestBackupNumber } from './backups.ts';
import type { Journal } from './journal.ts';
import { makeBackupFolder } from './make-backup-folder.ts';

export interface MadeBackup {
  readonly number: number;
  readonly path: string;
  /** It is the old file itself. */
  readonly isLinked: boolean;
}

/** The session, open. The lock of its transcript must be held. */
interface BackupSource {
  readonly path: string;
  readonly file: FileHandle;
  /** How much of it is kept. */
  readonly bytes: number;
  /** It is about to be replaced by a new file, so that the old file itself can be the backup, by a second name. */
  readonly isReplaced: boolean;
}

/**
 * Keeps a session under the name of a backup, on disk but for the folder, which must be synced. Nothing is copied where the
 * old file can be the backup.
 */
export async function makeBackup(
  source: BackupSource,
  paths: BackupPaths,
  journal: Journal,
): Promise<MadeBackup> {
  await makeBackupFolder(paths);
  const number = nextBackupNumber(paths, journal);
  const path = backupPathOf(paths, number);
  const isLinked = source.isReplaced && (await linkBackup(source, path));
  if (!isLinked) await copyBackup(source, path);
  return { number, path, isLinked };
}

/** @returns false where it must be a copy */
async function linkBackup({ path, file }: BackupSource, target: string): Promise<boolean> {
  const { nlink, ino } = await file.stat();
  // A file with further names may be written to under those at any time.
  if (nlink !== 1 || !linkNew(path, target)) return false;
  try {
    if (lstatSync(target).ino !== ino)
      throw new SourceChanged('The session was replaced by another program while it was read');
    await file.sync();
    return true;
  } catch (error) {
    await unlink(target).catch(() => {});
    throw error;
  }
}

async function copyBackup({ path, file, bytes }: BackupSource, target: string): Promise<void> {
  const temp = makeLeftoverPath(target, 'tmp');
  try {
    await copyFile(path, temp, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const copy = await open(temp, 'r+');
    try {
      await fitTo(copy, file, bytes);
      await copy.chmod(0o600);
      giveToFolderOwner(copy.fd, target);
      await copy.sync();
    } finally {
      await copy.close();
    }
    await rename(temp, target);
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  }
}

/** The session may have grown while it was copied. */
async function fitTo(copy: FileHandle, source: FileHandle, bytes: number): Promise<void> {
  const { size } = await copy.stat();
  if (size > bytes) await copy.truncate(bytes);
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (let at = size; at < bytes; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, bytes - at), at);
    if (bytesRead === 0) throw new SourceChanged();
    for (let done = 0; done < bytesRead; ) {
      done += (await copy.write(buffer, done, bytesRead - done, at + done)).bytesWritten;
    }
    at += bytesRead;
  }
}

/** Behind every number that was given, also where something else than a backup has its name. */
export function nextBackupNumber(paths: BackupPaths, journal: Journal): number {
  return Math.max(highestBackupNumber(paths), ...journal.rewrites.map(({ backup }) => backup)) + 1;
}
