import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  changeEntriesOfSession,
  inTransaction,
  isSameVersion,
  makeFolder,
  makeGeneration,
  type OpenclawDatabase,
  readTranscriptVersion,
  syncFolder,
  whileWriting,
  withTranscriptLock,
} from '@openbot/sessions';
import { rotateBackups } from '../session-file/backups.ts';
import { type Counters, readCounters } from '../session-file/counters.ts';
import { type RewriteRecord, readJournal, updateJournal } from '../session-file/journal.ts';
import { nextBackupNumber } from '../session-file/make-backup.ts';
import { backupPathOf, keepingPlaceOf, transcriptPathOf } from '../session-file/place.ts';
import type { FoundSession } from '../sources/found-session.ts';
import { dropUnfinishedRewrite } from './unfinished-rewrite.ts';
import { writeBackupOf } from './write-backup.ts';

/** A rewrite of a session in a database, whatever for. */
export interface DatabaseRewrite<Plan, Result> {
  readonly kind: RewriteRecord['kind'];
  readonly session: FoundSession;
  readonly now: () => Date;
  open(): OpenclawDatabase;
  /** Reads and decides; changes nothing. Called again when somebody changed the session meanwhile. */
  plan(database: OpenclawDatabase): Plan;
  /** The result, where the plan is to leave the session as it is. */
  settled(plan: Plan): Result | undefined;
  /** Changes the rows, within a transaction; throwing undoes everything. */
  apply(database: OpenclawDatabase, plan: Plan, as: { generation: string; at: Date }): void;
  describe(plan: Plan, backupPath: string): Result;
  bytesOf(plan: Plan): { before: number; after: number };
}

/** As often somebody may say something between the plan and the change; then the change is made without letting go. */
const MOST_ATTEMPTS = 4;

/**
 * Keeps the lines as they are in a backup, written and synced, before the transaction begins that changes them. Killed at
 * any moment, the session is the old one or the new one.
 */
export async function rewriteWithBackup<Plan, Result>(
  rewrite: DatabaseRewrite<Plan, Result>,
): Promise<Result> {
  const transcriptPath = transcriptPathOf(rewrite.session);
  await makeFolder(dirname(transcriptPath));
  // Two of us at once would give their backups one number.
  return withTranscriptLock(transcriptPath, async () => {
    const database = rewrite.open();
    try {
      await dropUnfinishedRewrite(database, rewrite.session);
      for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt++) {
        const done = await tryOnce(database, rewrite);
        if (done !== undefined) return done.result;
      }
      return await whileWriting(database, async () => (await tryOnce(database, rewrite))!.result);
    } finally {
      database.close();
    }
  });
}

/** Undefined where the session was changed by somebody else between the plan and the transaction. */
async function tryOnce<Plan, Result>(
  database: OpenclawDatabase,
  rewrite: DatabaseRewrite<Plan, Result>,
): Promise<{ result: Result } | undefined> {
  const { session } = rewrite;
  const { sessionId, source } = session;
  const transcriptPath = transcriptPathOf(session);
  const place = keepingPlaceOf(transcriptPath, source);
  const number = nextBackupNumber(transcriptPath, place, readJournal(transcriptPath, source));
  const backupPath = backupPathOf(place, number);
  const found = inTransaction(database, 'deferred', () => {
    const plan = rewrite.plan(database);
    const settled = rewrite.settled(plan);
    if (settled !== undefined) return { settled };
    const version = readTranscriptVersion(database, sessionId);
    writeBackupOf(database, sessionId, backupPath);
    return { plan, version, counters: readCountersOf(database, sessionId) };
  });
  if ('settled' in found) return { result: found.settled! };
  const { plan, version, counters } = found;
  const generation = makeGeneration();
  const at = rewrite.now();
  const undo = () => dropBackup(transcriptPath, session, number, backupPath);
  try {
    await syncFolder(place.folder);
    const bytes = rewrite.bytesOf(plan);
    await noteRewrite(transcriptPath, session, {
      kind: rewrite.kind,
      backup: number,
      at: at.toISOString(),
      backupBytes: bytes.before,
      resultBytes: bytes.after,
      resultHash: '',
      generations: { before: version.generation, after: generation },
      ...(counters === undefined ? {} : { counters }),
    });
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
  }
  await rotateBackups(place, transcriptPath);
  return { result: rewrite.describe(plan, backupPath) };
}

/** Of one entry: those of a second key that leads to the session are the same. */
function readCountersOf(database: OpenclawDatabase, sessionId: string): Counters | undefined {
  let counters: Counters | undefined;
  changeEntriesOfSession(database, sessionId, (entry) => {
    counters ??= readCounters(entry);
    return undefined;
  });
  return counters;
}

async function noteRewrite(path: string, { source }: FoundSession, record: RewriteRecord): Promise<void> {
  await updateJournal(path, source, (journal) => ({
    ...journal,
    rewrites: [...journal.rewrites, record],
  }));
}

/** A record of what never was would be taken for a state of the session. */
async function dropBackup(
  path: string,
  { source }: FoundSession,
  number: number,
  backupPath: string,
): Promise<void> {
  await unlink(backupPath).catch(() => {});
  await updateJournal(path, source, (journal) => ({
    ...journal,
    rewrites: journal.rewrites.filter(({ backup }) => backup !== number),
  })).catch(() => {});
}
