import { unlink } from 'node:fs/promises';
import type { Backup } from '../storage/contract/kept-state.ts';
import { backupPathsOf } from './backup-paths.ts';
import { listBackupFiles, MAX_BACKUPS } from './backups.ts';
import { forgetOldRecords, readJournal, updateJournal } from './journal.ts';
import { findOriginal, keepAsOriginal } from './original.ts';

export interface RotationOptions {
  /** Stays, with those behind it, which hold what was said since it was made. */
  readonly spared?: number;
  /** Keeps the first state as the original when its backup goes. True. */
  readonly keepsOriginal?: boolean;
}

export interface Rotation {
  /** The paths of backups that went, oldest first. */
  readonly removed: readonly string[];
  /** Where the first state is, if it is kept. */
  readonly originalPath?: string;
}

/**
 * Keeps the newest backups. One that cannot be removed stays and does no harm; where the original cannot be kept, none goes.
 * What OpenClaw archived is its own: it neither goes nor counts.
 * @param sessionPath of the transcript, whose lock must be held
 */
export async function rotateBackups(sessionPath: string, options: RotationOptions = {}): Promise<Rotation> {
  const backups = listBackupFiles(backupPathsOf(sessionPath), sessionPath);
  const rotation = await removeOldBackups(sessionPath, backups, options);
  const oldest = backups.find(({ path }) => !rotation.removed.includes(path));
  // Records that stay do no harm.
  await forgetOldRecords(sessionPath, oldest?.number ?? Number.POSITIVE_INFINITY).catch(() => {});
  return rotation;
}

async function removeOldBackups(
  sessionPath: string,
  backups: readonly Backup[],
  { spared = Number.POSITIVE_INFINITY, keepsOriginal = true }: RotationOptions,
): Promise<Rotation> {
  const paths = backupPathsOf(sessionPath);
  const own = backups.filter(({ keptIn }) => keptIn !== 'import archive');
  const old = own.slice(0, -MAX_BACKUPS).filter(({ number }) => number < spared);
  if (old.length === 0) return { removed: [] };
  if (keepsOriginal && findOriginal(paths) === undefined) {
    try {
      await keepFirst(sessionPath, backups[0]!);
    } catch {
      return { removed: [] };
    }
  }
  const removed: string[] = [];
  for (const { path } of old) {
    await unlink(path).then(
      () => removed.push(path),
      () => {},
    );
  }
  return { removed, originalPath: findOriginal(paths)?.path };
}

/** The journal first: a note of an original that is not there says nothing. */
async function keepFirst(sessionPath: string, first: Backup): Promise<void> {
  const record = readJournal(sessionPath).rewrites.findLast(({ backup }) => backup === first.number);
  await updateJournal(sessionPath, (journal) => ({
    ...journal,
    original: { backup: first.number, sizeBytes: first.sizeBytes, ...(record && { record }) },
  }));
  await keepAsOriginal(backupPathsOf(sessionPath), first);
}
