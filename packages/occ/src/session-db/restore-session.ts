import {
  type LineKeeper,
  type OpenclawDatabase,
  openDatabaseForWriting,
} from '@openbot/sessions/openclaw-database';
import { RestoreError } from '../errors.ts';
import { type Backup, listBackupFiles } from '../session-file/backups.ts';
import { chooseBackup } from '../session-file/choose-backup.ts';
import { putBackCounters } from '../session-file/counters.ts';
import { isOfDatabase, type RewriteRecord, readJournal } from '../session-file/journal.ts';
import { withOriginal } from '../session-file/original-state.ts';
import { keepingPlaceOf, transcriptPathOf } from '../session-file/place.ts';
import type { FileRestoreResult } from '../session-file/restore-file.ts';
import { assertSameLeaf, assertSameLinks } from '../session-file/verify-restored.ts';
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
import { keepOwnHeader, listRestoringChanges, readRestoredText } from './restored-rows.ts';
import { rewriteWithBackup } from './rewrite-with-backup.ts';
import { assertAllThere, assertNothingDropped } from './verify-restored.ts';

export interface DatabaseRestore {
  readonly session: FoundSession;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number | undefined;
  /** The first state in the place of a backup. */
  readonly original?: boolean | undefined;
  readonly keepsOriginal?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly waitMs?: number | undefined;
  /** Somebody is at work on the session: its entry is left to him, who counts anew at the end of the run. */
  readonly isInRun?: boolean | undefined;
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
    keepsOriginal: restore.keepsOriginal,
    open: () => openDatabaseForWriting(path, { force: restore.force, waitMs: restore.waitMs }),
    prepare: async () => {
      source = await findSource(restore);
    },
    sparedBackup: () => (restore.original ? undefined : prepared().chosen.number),
    plan: (database, keeper) => planRestore(database, sessionId, prepared(), keeper),
    settled: () => undefined,
    apply: (database, plan, { generation, at }) => {
      applyRestore(database, restore, plan, prepared(), generation, at);
    },
    describe: ({ session: before, lines, sizeAfter }, backupPath) => ({
      restoredFrom: prepared().chosen.path,
      backupPath,
      linesKept: countSaid(lines, before),
      sizeBefore: before.transcript.byteLength,
      sizeAfter,
    }),
    sizeAfterOf: ({ sizeAfter }) => sizeAfter,
  });
  return restoring.finally(() => closeKeptStates(source?.states ?? []));
}

/** The lines that no backup has, or that only later ones have. */
function countSaid(lines: readonly RestoredLine[], { transcript }: ReadSession): number {
  return lines.filter(({ row, kept }) =>
    kept === undefined ? transcript.kindOf(row!) !== 'header' : kept.state > 0,
  ).length;
}

interface RestoreSource {
  readonly chosen: Backup;
  readonly states: readonly KeptState[];
  readonly record: RewriteRecord | undefined;
  /** Of the chosen backup and those after it. */
  readonly records: readonly RewriteRecord[];
}

async function findSource(restore: DatabaseRestore): Promise<RestoreSource> {
  const { session, backup } = restore;
  const path = transcriptPathOf(session);
  const backups = listBackupFiles(keepingPlaceOf(path), path);
  const { rewrites } = readJournal(path);
  const recordOf = (number: number) => rewrites.findLast((record) => record.backup === number);
  const { sessionId } = session;
  if (restore.original) {
    return withOriginal(path, sessionId, async (original) => {
      assertUndamaged(original, backups, recordOf);
      const states = await openKeptStates(original, [original, ...backups]);
      const chosen = { ...original, path: original.packedPath };
      return { chosen, states, record: original.record, records: rewrites };
    });
  }
  const chosen = chooseBackup({ sessionId, backup, path }, backups);
  assertUndamaged(chosen, backups, recordOf);
  const records = rewrites.filter((record) => record.backup >= chosen.number);
  return { chosen, states: await openKeptStates(chosen, backups), record: recordOf(chosen.number), records };
}

function assertUndamaged(
  chosen: Backup,
  backups: readonly Backup[],
  recordOf: (number: number) => RewriteRecord | undefined,
): void {
  for (const { number, path, sizeBytes } of backups) {
    const made = number < chosen.number ? undefined : recordOf(number);
    if (made !== undefined && hasOtherSize(made, sizeBytes))
      throw damaged(path, `it has ${sizeBytes} bytes, and had ${made.backupBytes}`, number !== chosen.number);
  }
}

/** A file that became a backup may have been written to by somebody who had it open. */
function hasOtherSize(record: RewriteRecord, sizeBytes: number): boolean {
  return isOfDatabase(record) ? sizeBytes !== record.backupBytes : sizeBytes < record.backupBytes;
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
  const restored = recallUsage(listRestoredLines(states, session), states, session, records);
  const lines = keepOwnHeader(restored, session);
  const isOfSession = lines.some(
    ({ row, kept }) => row !== undefined && kept !== undefined && session.transcript.kindOf(row) !== 'header',
  );
  if (!isOfSession) {
    throw new RestoreError(`Session '${sessionId}' has no line in common with the backup ${chosen.path}`, {
      hint: 'Nothing was changed, since what was said in between cannot be told. The backup is a whole session: copy it where you need it.',
    });
  }
  assertNothingDropped(session, lines, chosen.path);
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
  { session: { sessionId, path }, isInRun }: DatabaseRestore,
  { session, lines }: PlannedRestore,
  { states, record }: RestoreSource,
  generation: string,
  at: Date,
): void {
  // Those of a file's index were counted for that file.
  const counted = isInRun || record === undefined || !isOfDatabase(record) ? undefined : record;
  const counters = counted?.corrected?.counters ?? counted?.counters;
  applyRewrite(database, {
    sessionId,
    before: session,
    changes: listRestoringChanges(lines, states, session),
    generation,
    now: at.getTime(),
    verify: (after, projection) => {
      assertSameLeaf(after.transcript, session.transcript, path);
      assertAllThere(after, projection, session, lines);
      assertSameLinks(after.transcript, (index) => originOf(lines[index]!, states, session));
    },
    changeEntry: (entry) => (counters === undefined ? undefined : putBackCounters(entry, counters)),
  });
}

function originOf({ row, kept }: RestoredLine, states: readonly KeptState[], session: ReadSession) {
  if (kept === undefined) return { transcript: session.transcript, index: row! };
  return { transcript: states[kept.state]!.transcript, index: kept.index };
}
