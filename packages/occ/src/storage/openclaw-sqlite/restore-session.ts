import { OpenBotError } from '@openbot/sessions';
import {
  type LineKeeper,
  type OpenclawDatabase,
  openDatabaseForWriting,
} from '@openbot/sessions/openclaw-database';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { listBackupFiles } from '../../backups/backups.ts';
import { chooseBackup } from '../../backups/choose-backup.ts';
import { isOfDatabase, type RewriteRecord, readJournal } from '../../backups/journal.ts';
import { withOriginal } from '../../backups/original-state.ts';
import { putBackCounters } from '../../rewrite/counters.ts';
import { type ExpectedPath, expectPath } from '../../rewrite/expected-path.ts';
import { describeContext, findUnheard, type RestoredContext } from '../../rewrite/verify-heard.ts';
import { assertSameLeaf, assertSameLinks, unheard } from '../../rewrite/verify-restored.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { Backup } from '../contract/rewriting.ts';
import type { FileRestoreResult } from '../files/restore-file.ts';
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
  readKeptLine,
} from './restored-lines.ts';
import { isChanged, keepOwnHeader, listRestoringChanges, readRestoredText } from './restored-rows.ts';
import { rewriteWithBackup } from './rewrite-with-backup.ts';
import { transcriptPathOf } from './transcript-path.ts';
import { assertAllThere, assertNothingDropped } from './verify-restored.ts';

export interface DatabaseRestore {
  readonly session: FoundSession;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number;
  /** The first state in the place of a backup. */
  readonly original?: boolean;
  readonly keepsOriginal?: boolean;
  readonly force?: boolean;
  readonly waitMs?: number;
  /** Somebody is at work on the session: its entry is left to him, who counts anew at the end of the run. */
  readonly isInRun?: boolean;
  readonly now: () => Date;
}

interface PlannedRestore {
  readonly session: ReadSession;
  readonly lines: readonly RestoredLine[];
  /** Where something was said since. */
  readonly expected: ExpectedPath | undefined;
  readonly sizeAfter: number;
}

/** What was seen of the session when it was restored. */
interface SeenContext {
  readonly context: RestoredContext;
  readonly unheard: string | undefined;
}

/** Puts the rows of a backup back, with usage and counters, and lets what was said since follow them. */
export async function restoreDatabaseSession(restore: DatabaseRestore): Promise<FileRestoreResult> {
  const { session } = restore;
  const { path, sessionId } = session;
  let source: RestoreSource | undefined;
  let seen: SeenContext | undefined;
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
      seen = applyRestore(database, restore, plan, prepared(), generation, at);
    },
    describe: ({ session: before, lines, sizeAfter }, backupPath) => ({
      restoredFrom: prepared().chosen.path,
      backupPath,
      linesKept: countSaid(lines, before),
      sizeBefore: before.transcript.byteLength,
      sizeAfter,
      context: seen!.context,
      ...(lines.some(({ parentId }) => parentId !== undefined) && { relinked: true as const }),
      ...(seen!.unheard !== undefined && { unheard: seen!.unheard }),
    }),
    sizeAfterOf: ({ sizeAfter }) => sizeAfter,
  });
  return restoring.finally(() => closeKeptStates(source?.states ?? []));
}

/** The lines that no backup has, or that only later ones have. */
function countSaid(lines: readonly RestoredLine[], session: ReadSession): number {
  return lines.filter((line) => isSaid(line, session)).length;
}

function isSaid({ row, kept }: RestoredLine, { transcript }: ReadSession): boolean {
  return kept === undefined ? transcript.kindOf(row!) !== 'header' : kept.state > 0;
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
  const backups = listBackupFiles(backupPathsOf(path), path);
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
    throw new OpenBotError('RESTORE_FAILED', `The backup ${chosen.path} is one of another session`, {
      hint: 'Nothing was changed. --list shows what other backups there are.',
    });
  }
  const restored = recallUsage(listRestoredLines(states, session), states, session, records);
  const own = keepOwnHeader(restored, session);
  const expected = own.some((line) => isSaid(line, session))
    ? expectPath({ transcript: states[0]!.transcript, readLine: makeReader(states[0]!) }, session)
    : undefined;
  const lines = relinkLine(own, expected, states, session);
  const isOfSession = lines.some(
    ({ row, kept }) => row !== undefined && kept !== undefined && session.transcript.kindOf(row) !== 'header',
  );
  if (!isOfSession) {
    throw new OpenBotError(
      'RESTORE_FAILED',
      `Session '${sessionId}' has no line in common with the backup ${chosen.path}`,
      {
        hint: 'Nothing was changed, since what was said in between cannot be told. The backup is a whole session: occ clone with its path makes a new one of it.',
      },
    );
  }
  assertNothingDropped(session, lines, chosen.path);
  let sizeAfter = 0;
  for (const line of lines) {
    const { row, kept } = line;
    if (isChanged(line)) {
      sizeAfter += readRestoredText(line, states, session).length + 1;
      continue;
    }
    const { transcript } = kept === undefined ? session : states[kept.state]!;
    const index = kept === undefined ? row! : kept.index;
    sizeAfter += transcript.endOf(index) - transcript.startOf(index) + 1;
  }
  return { session, lines, expected, sizeAfter };
}

function makeReader(state: KeptState): (index: number) => string {
  return (index) => readKeptLine(state, index).toString('latin1');
}

function relinkLine(
  lines: readonly RestoredLine[],
  expected: ExpectedPath | undefined,
  states: readonly KeptState[],
  session: ReadSession,
): readonly RestoredLine[] {
  const relink = expected?.relink;
  if (relink === undefined) return lines;
  return lines.map((line) => {
    const { transcript, index } = originOf(line, states, session);
    const isMeant = transcript.idOf(index) === relink.id && !relink.isDone(transcript, index);
    return isMeant ? { ...line, parentId: relink.parentId } : line;
  });
}

function applyRestore(
  database: OpenclawDatabase,
  { session: { sessionId, path }, isInRun, force }: DatabaseRestore,
  { session, lines, expected }: PlannedRestore,
  { states, record, chosen }: RestoreSource,
  generation: string,
  at: Date,
): SeenContext {
  const then = states[0]!.transcript;
  let seen: SeenContext | undefined;
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
      const missed = expected && findUnheard(after.transcript, then, session.transcript, expected);
      if (missed !== undefined && !force) throw unheard(missed, chosen.path);
      seen = { context: describeContext(after.transcript, then, missed), unheard: missed };
    },
    changeEntry: (entry) => (counters === undefined ? undefined : putBackCounters(entry, counters)),
  });
  return seen!;
}

function originOf({ row, kept }: RestoredLine, states: readonly KeptState[], session: ReadSession) {
  if (kept === undefined) return { transcript: session.transcript, index: row! };
  return { transcript: states[kept.state]!.transcript, index: kept.index };
}
