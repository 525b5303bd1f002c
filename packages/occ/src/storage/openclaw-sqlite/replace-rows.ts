import { deferEnding, syncFolder } from '@openbot/sessions/disk';
import {
  inTransaction,
  isSameVersion,
  makeGeneration,
  type OpenclawDatabase,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import { type BackupPaths, backupPathOf } from '../../backups/backup-paths.ts';
import type { Counters } from '../../rewrite/counters.ts';
import type { ReplacedState, RewriteSteps } from '../contract/rewriting.ts';
import { applyRewrite, type Rewrite, type RowChanges } from './apply-changes.ts';
import type { ReadSession } from './readable-session.ts';
import type { UnnamedFile } from './unnamed-file.ts';

/** The rows of a session at one moment. They are read from the backup that was written of them. */
export interface OpenRows {
  readonly database: OpenclawDatabase;
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly paths: BackupPaths;
  readonly number: number;
  readonly backup: UnnamedFile;
  readonly session: ReadSession;
  readonly version: ReturnType<typeof readTranscriptVersion>;
  readonly counters: Counters | undefined;
}

/** What the rows are to become. */
export interface NextRows {
  readonly changes: () => RowChanges;
  readonly sizeAfter: number;
  readonly verify: Rewrite['verify'];
}

/**
 * The backup is written, recorded and synced before the transaction begins: it is the slow part, and OpenClaw waits no longer
 * than five seconds for the database.
 */
export async function replaceRows(
  { database, sessionId, paths, number, backup, session, version, counters }: OpenRows,
  next: NextRows,
  steps: RewriteSteps,
): Promise<ReplacedState | undefined> {
  steps.accept(next.sizeAfter);
  const generation = makeGeneration();
  const isOver = deferEnding();
  const undo = async () => {
    backup.drop();
    await steps.undo();
  };
  try {
    await steps.record({
      backup: number,
      backupBytes: backup.byteLength,
      resultBytes: next.sizeAfter,
      resultHash: '',
      generations: { before: version.generation, after: generation },
      counters,
    });
    backup.sync();
    // After the record: a backup without one would be taken for that of a rewrite that took place.
    backup.name();
    await syncFolder(paths.folder);
    const isDone = inTransaction(database, 'immediate', () => {
      if (!isSameVersion(version, readTranscriptVersion(database, sessionId))) return false;
      applyRewrite(database, {
        sessionId,
        before: session,
        changes: next.changes(),
        generation,
        now: steps.at.getTime(),
        verify: next.verify,
        changeEntry: (entry) => steps.changeEntry?.(entry),
      });
      return true;
    });
    if (isDone) return { backupPath: backupPathOf(paths, number) };
    await undo();
    return undefined;
  } catch (error) {
    await undo();
    throw error;
  } finally {
    isOver();
  }
}
