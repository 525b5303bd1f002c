import { unlink } from 'node:fs/promises';
import { OpenBotError } from '@openbot/sessions';
import type { Backup } from '../storage/contract/rewriting.ts';
import { backupPathsOf } from './backup-paths.ts';
import { type RewriteRecord, readJournal } from './journal.ts';
import { findOriginal, unpackOriginal } from './original.ts';

/** The original, unpacked: a state before all backups. */
export interface OriginalState extends Backup {
  readonly packedPath: string;
  /** The number of the backup that it was; undefined where the journal does not tell. */
  readonly wasBackup?: number;
  readonly record?: RewriteRecord;
}

/** Below every number that a backup has. */
const ORIGINAL_NUMBER = 0;

/** Runs `use` with the original of a session, unpacked for that time. @param path of its transcript */
export async function withOriginal<T>(
  path: string,
  sessionId: string,
  use: (state: OriginalState) => Promise<T>,
): Promise<T> {
  const original = findOriginal(backupPathsOf(path));
  if (original === undefined) {
    throw new OpenBotError('RESTORE_FAILED', `No original is kept of session '${sessionId}'`, {
      hint: 'It is kept when the first backup is rotated out; until then that backup is the first state: --list shows it',
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
