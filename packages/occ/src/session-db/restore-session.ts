import {
  type DatabaseTranscript,
  type LineKeeper,
  type OpenclawDatabase,
  openDatabaseForWriting,
  type Projection,
  type Transcript,
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
import { recallUsage } from './recalled-usage.ts';
import {
  closeKeptStates,
  damaged,
  type KeptState,
  listRestoredLines,
  openKeptStates,
  type RestoredLine,
} from './restored-lines.ts';
import { listRestoringChanges, readRestoredText } from './restored-rows.ts';
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
    sparedBackup: () => prepared().chosen.number,
    plan: (database, keeper) => planRestore(database, sessionId, prepared(), keeper),
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
    sizeAfterOf: ({ sizeAfter }) => sizeAfter,
  });
  return restoring.finally(() => closeKeptStates(source?.states ?? []));
}

interface RestoreSource {
  readonly chosen: Backup;
  readonly states: readonly KeptState[];
  readonly record: RewriteRecord | undefined;
  /** Of the chosen backup and those after it. */
  readonly records: readonly RewriteRecord[];
}

async function findSource({ session, backup }: DatabaseRestore): Promise<RestoreSource> {
  const transcriptPath = transcriptPathOf(session);
  const backups = listBackupFiles(keepingPlaceOf(transcriptPath, session.source), transcriptPath);
  const chosen = chooseBackup({ sessionId: session.sessionId, backup }, backups);
  const { rewrites } = readJournal(transcriptPath, session.source);
  const recordOf = (number: number) => rewrites.findLast((record) => record.backup === number);
  for (const { number, path, sizeBytes } of backups) {
    const bytes = number < chosen.number ? undefined : recordOf(number)?.backupBytes;
    if (bytes !== undefined && bytes !== sizeBytes)
      throw damaged(path, `it has ${sizeBytes} bytes, and had ${bytes}`, number !== chosen.number);
  }
  const records = rewrites.filter((record) => record.backup >= chosen.number);
  return { chosen, states: await openKeptStates(chosen, backups), record: recordOf(chosen.number), records };
}

function planRestore(
  database: OpenclawDatabase,
  sessionId: string,
  source: RestoreSource,
  keeper: LineKeeper,
): PlannedRestore {
  const session = readSessionToRewrite(database, sessionId, keeper);
  const { states, chosen, records } = source;
  if (states[0]!.transcript.header?.id !== session.transcript.header?.id) {
    throw new RestoreError(`The backup ${chosen.path} is one of another session`, {
      hint: 'Nothing was changed. --list shows what other backups there are.',
    });
  }
  const lines = recallUsage(listRestoredLines(states, session), states, session, records);
  const isOfSession = lines.some(
    ({ row, kept }) => row !== undefined && kept !== undefined && session.transcript.kindOf(row) !== 'header',
  );
  if (!isOfSession) {
    throw new RestoreError(`Session '${sessionId}' has no line in common with the backup ${chosen.path}`, {
      hint: 'Nothing was changed, since what was said in between cannot be told. The backup is a whole session: copy it where you need it.',
    });
  }
  let sizeAfter = 0;
  for (const line of lines) {
    const { row, kept, usage } = line;
    if (usage !== undefined) {
      sizeAfter += readRestoredText(line, states, session).length + 1;
      continue;
    }
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
  const counters = record?.corrected?.counters ?? record?.counters;
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
    changeEntry: (entry) => (counters === undefined ? undefined : putBackCounters(entry, counters)),
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
  if (!isWhole || !isSameEnd) {
    throw new RestoreError('The restored session did not read back as planned', {
      hint: 'Nothing was changed. Another program rewrote the session since the backup was made.',
    });
  }
  if (!isOtherPath(after, projection, session) && !losesTarget(transcript, session.transcript)) return;
  throw new RestoreError(
    'What was said since the backup was made refers to lines that the backup does not have',
    {
      hint: 'Nothing was changed, since a part of the conversation would be lost. --list shows what other backups there are.',
    },
  );
}

/** Whether an entry that is there before and after would be part of the conversation only once. */
function isOtherPath(after: DatabaseTranscript, { rows }: Projection, session: ReadSession): boolean {
  const path = new Set(rows.map(({ seq }) => seq));
  const pathNow = new Set(session.projection.rows.map(({ seq }) => seq));
  return session.seqs.some((seq, row) => {
    const id = session.transcript.idOf(row);
    const index = id === undefined ? undefined : after.transcript.indexOf(id);
    return index !== undefined && path.has(after.seqs[index]!) !== pathNow.has(seq);
  });
}

/** Whether an entry that another one points at would be missing: a compaction keeps nothing then. */
function losesTarget(after: Transcript, now: Transcript): boolean {
  for (const index of after.entriesWithTarget()) {
    if (after.targetIndexOf(index) !== undefined) continue;
    const row = now.indexOf(after.idOf(index) ?? '');
    if (row !== undefined && now.targetIndexOf(row) !== undefined) return true;
  }
  return false;
}
