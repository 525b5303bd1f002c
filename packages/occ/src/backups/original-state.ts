import { unlink } from 'node:fs/promises';
import { RestoreError } from '../errors.ts';
import type { KeptState } from '../storage/contract/kept-state.ts';
import { backupPathsOf } from './backup-paths.ts';
import { readJournal } from './journal.ts';
import { findOriginal, unpackOriginal } from './original.ts';

/** Below every number that a backup has. */
const ORIGINAL_NUMBER = 0;

/** Runs `use` with the original of a session, unpacked for that time. @param path of its transcript */
export async function withOriginal<T>(
  path: string,
  sessionId: string,
  use: (state: KeptState) => Promise<T>,
): Promise<T> {
  const original = findOriginal(backupPathsOf(path));
  if (original === undefined) {
    throw new RestoreError(`There is no original of session '${sessionId}'`, {
      hint: 'The original is kept when the first backup is rotated out. Until then that backup is the first state: --list shows it',
    });
  }
  const { original: note } = readJournal(path);
  const unpacked = await unpackOriginal(original);
  try {
    return await use({
      ...unpacked,
      number: ORIGINAL_NUMBER,
      createdAt: original.createdAt,
      keptIn: 'backups',
      packedPath: original.path,
      wasBackup: note?.backup,
      record: note?.record,
    });
  } finally {
    await unlink(unpacked.path).catch(() => {});
  }
}
