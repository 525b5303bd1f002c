import { constants, lstatSync } from 'node:fs';
import { copyFile, type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { giveToFolderOwner, linkNew, makeLeftoverPath } from '@openbot/sessions/disk';
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

/**
 * Keeps the first `bytes` of a session under the name of a backup, on disk but for the folder, which must be synced. The
 * session is about to be replaced by a new file, so the old file itself becomes the backup by a second name; nothing is
 * copied. Only where that cannot be, a copy is made.
 * @param source the session, open; the transcript's lock must be held
 */
export async function makeBackup(
  path: string,
  source: FileHandle,
  paths: BackupPaths,
  bytes: number,
  journal: Journal,
): Promise<MadeBackup> {
  await makeBackupFolder(paths);
  const number = nextBackupNumber(paths, journal);
  const target = backupPathOf(paths, number);
  const stat = await source.stat();
  // A file with further names may be written to under those at any time.
  const isLinked = stat.nlink === 1 && linkNew(path, target);
  if (isLinked) {
    if (lstatSync(target).ino !== stat.ino) {
      await unlink(target).catch(() => {});
      throw new Error('the session was replaced by another program while it was read');
    }
    try {
      await source.sync();
    } catch (error) {
      await unlink(target).catch(() => {});
      throw error;
    }
  } else await copyBackup(path, source, target, bytes);
  return { number, path: target, isLinked };
}

/** The same for a session that stays as it is: its backup must be a copy. */
export async function copyAsBackup(
  path: string,
  source: FileHandle,
  paths: BackupPaths,
  bytes: number,
  journal: Journal,
): Promise<MadeBackup> {
  await makeBackupFolder(paths);
  const number = nextBackupNumber(paths, journal);
  const target = backupPathOf(paths, number);
  await copyBackup(path, source, target, bytes);
  return { number, path: target, isLinked: false };
}

async function copyBackup(path: string, source: FileHandle, target: string, bytes: number): Promise<void> {
  const temp = makeLeftoverPath(target, 'tmp');
  try {
    await copyFile(path, temp, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const copy = await open(temp, 'r+');
    try {
      await fitTo(copy, source, bytes);
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
    if (bytesRead === 0) throw new Error('the session became shorter while it was copied');
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
