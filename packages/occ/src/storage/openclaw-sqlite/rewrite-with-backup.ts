import { unlink } from 'node:fs/promises';
import { deferEnding, syncFolder } from '@openbot/sessions/disk';
import {
  inTransaction,
  isSameVersion,
  type LineKeeper,
  makeGeneration,
  type OpenclawDatabase,
  readEntriesOfSession,
  readTranscriptVersion,
  whileWriting,
} from '@openbot/sessions/openclaw-database';
import { backupPathOf, backupPathsOf } from '../../backups/backup-paths.ts';
import { type RewriteRecord, readJournal, updateJournal } from '../../backups/journal.ts';
import { nextBackupNumber } from '../../backups/make-backup.ts';
import { type Rotation, rotateBackups } from '../../backups/rotate-backups.ts';
import { type Counters, readCounters } from '../../rewrite/counters.ts';
import type { FoundSession } from '../contract/found-session.ts';
import { withKeepingLock } from './keeping-lock.ts';
import { transcriptPathOf } from './transcript-path.ts';
import { dropUnfinishedRewrite } from './unfinished-rewrite.ts';
import { UnnamedFile } from './unnamed-file.ts';

/** A rewrite of a session in a database, whatever for. */
export interface DatabaseRewrite<Plan, Result> {
  readonly kind: RewriteRecord['kind'];
  readonly session: FoundSession;
  readonly now: () => Date;
  open(): OpenclawDatabase;
  /** What has to be waited for, once, before the first plan. */
  prepare?(): Promise<void>;
  /** Reads and decides; changes nothing. Called again when somebody changed the session meanwhile. */
  plan(database: OpenclawDatabase, keeper: LineKeeper): Plan;
  /** The result, where the plan is to leave the session as it is. */
  settled(plan: Plan): Result | undefined;
  /** Changes the rows, within a transaction; throwing undoes everything. */
  apply(database: OpenclawDatabase, plan: Plan, as: { generation: string; at: Date }): void;
  describe(plan: Plan, backupPath: string): Result;
  sizeAfterOf(plan: Plan): number;
  /** A backup that must stay, with all that came after it, when old ones go. */
  sparedBackup?(): number | undefined;
  readonly keepsOriginal?: boolean;
}

/** What became of old backups is part of the result. */
interface Rotated {
  readonly rotation?: Rotation;
}

/** As often somebody may say something between the plan and the change; then the change is made without letting go. */
const MOST_ATTEMPTS = 4;

/**
 * Keeps the lines as they are in a backup, written and synced, before the transaction begins that changes them. Killed at
 * any moment, the session is the old one or the new one.
 */
export async function rewriteWithBackup<Plan, Result extends Rotated>(
  rewrite: DatabaseRewrite<Plan, Result>,
): Promise<Result> {
  return withKeepingLock(transcriptPathOf(rewrite.session), async () => {
    const database = rewrite.open();
    try {
      await dropUnfinishedRewrite(database, rewrite.session);
      await rewrite.prepare?.();
      for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt++) {
        const done = await tryOnce(database, rewrite);
        if (done !== undefined) return await finish(rewrite, done);
      }
      return await finish(rewrite, await tryWhileHolding(database, rewrite));
    } finally {
      database.close();
    }
  });
}

/** What came of one attempt. */
interface Attempt<Result> {
  readonly result: Result;
  /** Takes back what was written down beside the database; undefined where nothing was. */
  readonly undo?: () => Promise<void>;
}

async function finish<Plan, Result extends Rotated>(
  { session, sparedBackup, keepsOriginal }: DatabaseRewrite<Plan, Result>,
  { result, undo }: Attempt<Result>,
): Promise<Result> {
  if (undo === undefined) return result;
  const rotation = await rotateBackups(transcriptPathOf(session), {
    spared: sparedBackup?.(),
    keepsOriginal,
  });
  return { ...result, rotation };
}

/** Nobody can write between the plan and the change. What is done holds from the end of the transaction on, not before. */
async function tryWhileHolding<Plan, Result>(
  database: OpenclawDatabase,
  rewrite: DatabaseRewrite<Plan, Result>,
): Promise<Attempt<Result>> {
  let attempt: Attempt<Result> | undefined;
  try {
    await whileWriting(database, async () => {
      attempt = await tryOnce(database, rewrite);
    });
    return attempt!;
  } catch (error) {
    await attempt?.undo?.();
    throw error;
  }
}

/** Undefined where the session was changed by somebody else between the plan and the transaction. */
async function tryOnce<Plan, Result>(
  database: OpenclawDatabase,
  rewrite: DatabaseRewrite<Plan, Result>,
): Promise<Attempt<Result> | undefined> {
  const { session } = rewrite;
  const { sessionId } = session;
  const transcriptPath = transcriptPathOf(session);
  const paths = backupPathsOf(transcriptPath);
  const number = nextBackupNumber(paths, readJournal(transcriptPath));
  const backupPath = backupPathOf(paths, number);
  // The lines go to the backup as they are read; where nothing is to be changed it never gets its name.
  const backup = new UnnamedFile(backupPath);
  const found = planWith(database, rewrite, backup);
  if ('settled' in found) return { result: found.settled };
  const { plan, version, counters } = found;
  const generation = makeGeneration();
  const at = rewrite.now();
  const isOver = deferEnding();
  const undo = async () => {
    backup.drop();
    await dropBackup(transcriptPath, number, backupPath);
  };
  try {
    await noteRewrite(transcriptPath, {
      kind: rewrite.kind,
      backup: number,
      at: at.toISOString(),
      backupBytes: backup.byteLength,
      resultBytes: rewrite.sizeAfterOf(plan),
      resultHash: '',
      generations: { before: version.generation, after: generation },
      counters,
    });
    backup.sync();
    // Only now: a backup that no record tells of would be taken for that of a rewrite that happened.
    backup.name();
    await syncFolder(paths.folder);
    const isDone = inTransaction(database, 'immediate', () => {
      if (!isSameVersion(version, readTranscriptVersion(database, sessionId))) return false;
      rewrite.apply(database, plan, { generation, at });
      return true;
    });
    if (!isDone) {
      await undo();
      return undefined;
    }
  } catch (error) {
    await undo();
    throw error;
  } finally {
    isOver();
  }
  backup.close();
  return { result: rewrite.describe(plan, backupPath), undo };
}

type Found<Plan, Result> =
  | { readonly settled: Result }
  | {
      readonly plan: Plan;
      readonly version: ReturnType<typeof readTranscriptVersion>;
      readonly counters: Counters | undefined;
    };

/** All that is read is of one moment. */
function planWith<Plan, Result>(
  database: OpenclawDatabase,
  rewrite: DatabaseRewrite<Plan, Result>,
  backup: UnnamedFile,
): Found<Plan, Result> {
  const { sessionId } = rewrite.session;
  try {
    return inTransaction(database, 'deferred', () => {
      const plan = rewrite.plan(database, backup);
      const settled = rewrite.settled(plan);
      if (settled !== undefined) {
        backup.drop();
        return { settled };
      }
      const version = readTranscriptVersion(database, sessionId);
      return { plan, version, counters: readCountersOf(database, sessionId) };
    });
  } catch (error) {
    backup.drop();
    throw error;
  }
}

/** Of one entry: those of a second key that leads to the session are the same. */
function readCountersOf(database: OpenclawDatabase, sessionId: string): Counters | undefined {
  const [entry] = readEntriesOfSession(database, sessionId);
  return entry && readCounters(entry);
}

async function noteRewrite(path: string, record: RewriteRecord): Promise<void> {
  await updateJournal(path, (journal) => ({
    ...journal,
    rewrites: [...journal.rewrites, record],
  }));
}

/** A record of what never was would be taken for a state of the session. */
async function dropBackup(path: string, number: number, backupPath: string): Promise<void> {
  await unlink(backupPath).catch(() => {});
  await updateJournal(path, (journal) => ({
    ...journal,
    rewrites: journal.rewrites.filter(({ backup }) => backup !== number),
  })).catch(() => {});
}
