import { constants } from 'node:fs';
import { chmod, copyFile, type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, makeLeftoverName } from '@openbot/sessions';
import { listBackupFiles } from './backups.ts';
import type { readJournal } from './journal.ts';
import { backupPathOf, type KeepingPlace } from './place.ts';

/** A copy of a session that has no name as a backup yet. */
export interface BackupDraft {
  /** Makes it hold exactly the first `bytes` of the session, on disk. */
  settle(bytes: number): Promise<void>;
  /** Gives it its name. Its folder must be synced afterwards. */
  publish(): Promise<{ number: number; path: string }>;
  /** Removes it, whether it has its name or not. */
  discard(): Promise<void>;
}

/**
 * Begins to copy a session, so that reading it can go on meanwhile. A copy and not a second name of the same file: a
 * backup's bytes never change, whoever still writes to the session.
 * @param source the session, open; the transcript's lock must be held
 */
export async function draftBackup(
  path: string,
  source: FileHandle,
  place: KeepingPlace,
  journalOf: () => ReturnType<typeof readJournal>,
): Promise<BackupDraft> {
  await makeFolder(place.folder);
  const number = nextNumber(place, journalOf());
  const target = backupPathOf(place, number);
  const temp = join(dirname(target), makeLeftoverName(basename(target), 'tmp'));
  let at = temp;
  const copying = copyFile(path, temp, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  // Looked at in `settle`; until then nobody waits for it.
  copying.catch(() => {});
  return {
    async settle(bytes) {
      await copying;
      await chmod(temp, 0o600);
      const copy = await open(temp, 'r+');
      try {
        await fitTo(copy, source, bytes);
        await copy.sync();
      } finally {
        await copy.close();
      }
    },
    async publish() {
      await rename(temp, target);
      at = target;
      return { number, path: target };
    },
    async discard() {
      await copying.catch(() => {});
      await unlink(at).catch(() => {});
    },
  };
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

function nextNumber(place: KeepingPlace, journal: ReturnType<typeof readJournal>): number {
  const known = [
    ...listBackupFiles(place).map(({ number }) => number),
    ...journal.rewrites.map(({ backup }) => backup),
  ];
  return Math.max(0, ...known) + 1;
}
