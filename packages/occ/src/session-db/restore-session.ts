import {
  type DatabaseTranscript,
  type OpenclawDatabase,
  openDatabaseForWriting,
  type Projection,
} from '@openbot/sessions';
import { RestoreError } from '../errors.ts';
import { type Backup, listBackupFiles } from '../session-file/backups.ts';
import { chooseBackup } from '../session-file/choose-backup.ts';
import { putBackCounters } from '../session-file/counters.ts';
import { type RewriteRecord, readJournal } from '../session-file/journal.ts';
import { keepingPlaceOf, transcriptPathOf } from '../session-file/place.ts';
import { assertWhole, type FileRestoreResult } from '../session-file/restore-file.ts';
import type { FoundSession } from '../sources/found-session.ts';
import { applyRewrite } from './apply-changes.ts';
import { type ReadSession, readSessionToRewrite } from './readable-session.ts';
import {
  closeKeptStates,
  type KeptState,
  listRestoredLines,
  openKeptStates,
  type RestoredLine,
} from './restored-lines.ts';
import { listRestoringChanges } from './restored-rows.ts';
import { rewriteWithBackup } from './rewrite-with-backup.ts';

export interface DatabaseRestore {
  readonly session: FoundSession;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number | undefined;
  readonly force?: boolean | undefined;
  readonly waitMs?: number | undefined;
  readonly now: () => Date;
}

interface PlannedRestore {
  readonly session: ReadSession;
  readonly lines: readonly RestoredLine[];
  readonly sizeAfter: number;
}

/** Puts the rows of a backup back, with usage and counters, and lets what was said since follow them. */
export async function restoreDatabaseSession(restore: DatabaseRestore): Promise<FileRestoreResult> {
  const { session } = restore;
  const { path, sessionId } = session;
  let source: RestoreSource | undefined;
  const prepared = () => source!;
  const restoring = rewriteWithBackup<PlannedRestore, FileRestoreResult>({
    kind: 'restore',
    session,
    now: restore.now,
    open: () => openDatabaseForWriting(path, { force: restore.force, waitMs: restore.waitMs }),
    prepare: async () => {
      source = await findSource(restore);
    },
    plan: (database) => planRestore(database, sessionId, prepared()),
    settled: () => undefined,
    apply: (database, plan, { generation, at }) => {
      applyRestore(database, session, plan, prepared(), generation, at);
    },
    describe: ({ session: before, lines, sizeAfter }, backupPath) => ({
      restoredFrom: prepared().chosen.path,
      backupPath,
      linesKept: lines.filter(({ kept }) => kept === undefined || kept.state > 0).length,
      sizeBefore: before.transcript.byteLength,
      sizeAfter,
    }),
    bytesOf: ({ session: before, sizeAfter }) => ({
      before: before.transcript.byteLength,
      after: sizeAfter,
    }),
  });
  return restoring.finally(() => closeKeptStates(source?.states ?? []));
}

interface RestoreSource {
  readonly chosen: Backup;
  readonly states: readonly KeptState[];
  readonly record: RewriteRecord | undefined;
}

async function findSource({ session, backup }: DatabaseRestore): Promise<RestoreSource> {
  const transcriptPath = transcriptPathOf(session);
  const backups = listBackupFiles(keepingPlaceOf(transcriptPath, session.source), transcriptPath);
  const chosen = chooseBackup({ sessionId: session.sessionId, backup }, backups);
  const { rewrites } = readJournal(transcriptPath, session.source);
  return {
    chosen,
    states: await openKeptStates(chosen, backups),
    record: rewrites.findLast((record) => record.backup === chosen.number),
  };
}

function planRestore(database: OpenclawDatabase, sessionId: string, source: RestoreSource): PlannedRestore {
  const session = readSessionToRewrite(database, sessionId);
  const { states, chosen } = source;
  const lines = listRestoredLines(states, session);
  const isOfSession = lines.some(
    ({ row, kept }) => row !== undefined && kept !== undefined && session.transcript.idOf(row) !== undefined,
  );
  if (!isOfSession) {
    throw new RestoreError(`Session '${sessionId}' has no line in common with the backup ${chosen.path}`, {
      hint: 'Nothing was changed, since what was said in between cannot be told. The backup is a whole session: copy it where you need it.',
    });
  }
  let sizeAfter = 0;
  for (const { row, kept } of lines) {
    const { transcript } = kept === undefined ? session : states[kept.state]!;
    const index = kept === undefined ? row! : kept.index;
    sizeAfter += transcript.endOf(index) - transcript.startOf(index) + 1;
  }
  return { session, lines, sizeAfter };
}

function applyRestore(
  database: OpenclawDatabase,
  { sessionId, path }: FoundSession,
  { session, lines }: PlannedRestore,
  { states, record }: RestoreSource,
  generation: string,
  at: Date,
): void {
  applyRewrite(database, {
    sessionId,
    before: session,
    changes: listRestoringChanges(lines, states, session),
    generation,
    now: at.getTime(),
    verify: (after, projection) => {
      assertWhole(after.transcript, session.transcript, path);
      assertAllThere(after, projection, session, lines);
    },
    changeEntry: (entry) =>
      record?.counters === undefined ? undefined : putBackCounters(entry, record.counters),
  });
}

/** Nothing that is in the session may be missing afterwards, and it must go on from where it is. */
function assertAllThere(
  after: DatabaseTranscript,
  projection: Projection,
  session: ReadSession,
  lines: readonly RestoredLine[],
): void {
  const { transcript } = after;
  const isWhole = transcript.length === lines.length && transcript.problems.length === 0;
  const isSameEnd = projection.leafEventId === session.projection.leafEventId;
  if (isWhole && isSameEnd) return;
  throw new RestoreError('The restored session did not read back as planned', {
    hint: 'Nothing was changed. Another program rewrote the session since the backup was made.',
  });
}
