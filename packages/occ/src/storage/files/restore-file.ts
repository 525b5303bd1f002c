import { OpenBotError, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import type { HeldLock, LockOptions } from '@openbot/sessions/disk';
import { asciiJson, replaceTopLevelFields } from '@openbot/sessions/rewrite';
import { scanOpenTranscript, withTranscriptLock } from '@openbot/sessions/transcript';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { listBackupFiles } from '../../backups/backups.ts';
import { chooseBackup } from '../../backups/choose-backup.ts';
import { isOfDatabase, type Journal, type RewriteRecord, readJournal } from '../../backups/journal.ts';
import { type OriginalState, withOriginal } from '../../backups/original-state.ts';
import type { Rotation } from '../../backups/rotate-backups.ts';
import { expectPath, type Relink, type SessionLines } from '../../rewrite/expected-path.ts';
import type { IndexEntry } from '../../rewrite/index-entry.ts';
import { findNewLines } from '../../rewrite/new-lines.ts';
import { openSession } from '../../rewrite/open-session.ts';
import { readLineOf } from '../../rewrite/read-line.ts';
import {
  type ChangedLine,
  countSaid,
  originOfLines,
  type Piece,
  writeRestored,
} from '../../rewrite/restored-pieces.ts';
import { rewriteSession } from '../../rewrite/rewrite-session.ts';
import { findSaidSince, type SessionState, type Stretch } from '../../rewrite/said-since.ts';
import { describeContext, findUnheard, type RestoredContext } from '../../rewrite/verify-heard.ts';
import { assertSameLeaf, assertSameLinks, unheard } from '../../rewrite/verify-restored.ts';
import type { Backup } from '../contract/rewriting.ts';
import { tidyUp } from './tidy-up.ts';

export interface FileRestore {
  readonly path: string;
  readonly sessionId: string;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number;
  /** The first state in the place of a backup. */
  readonly original?: boolean;
  readonly keepsOriginal?: boolean;
  readonly entry?: IndexEntry;
  readonly lock?: LockOptions;
  /** Also where the model would not be given all that comes back. */
  readonly force?: boolean;
  readonly now: () => Date;
}

export interface FileRestoreResult {
  readonly restoredFrom: string;
  readonly backupPath: string;
  readonly linesKept: number;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  /** What became of old backups. */
  readonly rotation?: Rotation;
  readonly context: RestoredContext;
  /** What was said since had gone on from an earlier entry, and goes on from the restored ones. */
  readonly relinked?: true;
  /** Why the model is not given all of it, where that was forced. */
  readonly unheard?: string;
  /** What went wrong when the session had been restored. */
  readonly fault?: Error;
}

/** Puts a backup back and lets what was said since follow it. The state before becomes a backup itself. */
export function restoreSessionFile(restore: FileRestore): Promise<FileRestoreResult> {
  return withTranscriptLock(restore.path, (lock) => restoreLocked(restore, lock), restore.lock);
}

async function restoreLocked(restore: FileRestore, lock: HeldLock): Promise<FileRestoreResult> {
  const { path } = restore;
  const journal = await tidyUp(path, lock);
  const past = { journal, backups: listOwnBackups(restore) };
  if (!restore.original) {
    const chosen = chooseBackup(restore, past.backups);
    const record = journal.rewrites.findLast(({ backup }) => backup === chosen.number);
    const findSince = (now: SessionState) => findSaid(chosen, past.backups, journal, now);
    return restoreState(restore, lock, { ...chosen, record, findSince });
  }
  return withOriginal(path, restore.sessionId, (original) => {
    if (original.record !== undefined && isOfDatabase(original.record)) {
      throw ofDatabase(`The original of session '${restore.sessionId}'`, path);
    }
    const findSince = (now: SessionState) => findSaidSinceOriginal(original, past, now);
    return restoreState(restore, lock, { ...original, findSince });
  });
}

/** A state that the session is to have again. */
interface ChosenState extends Backup {
  readonly record?: RewriteRecord;
  /** Where it is kept, if it was unpacked from there. */
  readonly packedPath?: string;
  findSince(now: SessionState): Promise<Stretch[]>;
}

async function restoreState(
  restore: FileRestore,
  lock: HeldLock,
  chosen: ChosenState,
): Promise<FileRestoreResult> {
  const { path } = restore;
  const { record } = chosen;
  const session = await openSession(path);
  try {
    const now = await scanOpenTranscript(session, path);
    const said = await chosen.findSince({ path, bytes: now.byteLength });
    const whole: Stretch = { path: chosen.path, start: 0, end: record?.backupBytes ?? chosen.sizeBytes };
    const origins = await openOrigins(path, now, [whole, ...said]);
    const then = origins.get(whole.path)!;
    const expected =
      said.length === 0 ? undefined : expectPath(readLinesOf(whole.path, then), readLinesOf(path, now));
    const changed = findLine(expected?.relink, said, origins);
    let sizeAfter = 0;
    let linesKept = 0;
    let pieces: readonly Piece[] = [];
    let context: RestoredContext | undefined;
    let missed: string | undefined;
    const { backup, rotation, fault } = await rewriteSession({
      ...restore,
      kind: 'restore',
      sparedBackup: restore.original ? undefined : chosen.number,
      session,
      transcript: now,
      lock,
      write: async (copier) => {
        pieces = await writeRestored(copier, whole, said, changed);
      },
      verify: (after) => {
        sizeAfter = after.byteLength;
        linesKept = countSaid(after, pieces, whole);
        assertSameLeaf(after, now, path);
        assertSameLinks(after, originOfLines(after, pieces, origins));
        missed = expected && findUnheard(after, then, now, expected);
        if (missed !== undefined && !restore.force) throw unheard(missed, chosen.packedPath ?? chosen.path);
        context = describeContext(after, then, missed);
      },
      afterSwap: async () => {
        if (record?.counters !== undefined) await restore.entry?.putBack(record.counters);
      },
    });
    return {
      restoredFrom: chosen.packedPath ?? chosen.path,
      backupPath: backup.path,
      linesKept,
      sizeBefore: now.byteLength,
      sizeAfter,
      rotation,
      context: context!,
      ...(changed && { relinked: true as const }),
      ...(missed !== undefined && { unheard: missed }),
      ...(fault && { fault }),
    };
  } finally {
    await session.close();
  }
}

/** Those that were made of the session in OpenClaw's database have its header, and what was said there. */
function listOwnBackups({ path, sessionId, backup }: FileRestore): Backup[] {
  const { rewrites } = readJournal(path);
  const foreign = new Set(rewrites.filter(isOfDatabase).map((record) => record.backup));
  if (backup !== undefined && foreign.has(backup)) {
    throw ofDatabase(`Backup ${backup} of session '${sessionId}'`, path);
  }
  return listBackupFiles(backupPathsOf(path), path).filter(({ number }) => !foreign.has(number));
}

function ofDatabase(what: string, path: string): OpenBotError {
  return new OpenBotError('RESTORE_FAILED', `${what} was made of OpenClaw's database, not of ${path}`, {
    hint: 'Nothing was changed. The session in the database is named by its id; what is kept is a whole session: occ clone with its path makes a new one of it.',
  });
}

/** As far as the backups that are left tell it; before the first of them, as that one has it. */
async function findSaidSinceOriginal(
  original: OriginalState,
  { journal, backups }: { journal: Journal; backups: readonly Backup[] },
  session: SessionState,
): Promise<Stretch[]> {
  if (original.wasBackup !== undefined) {
    const state = { ...original, number: original.wasBackup };
    const said = findSaidSince(state, [state, ...backups], journal, session);
    if (said !== undefined) return said;
  }
  const [first] = backups;
  if (first === undefined) return findSaid(original, backups, journal, session);
  const record = journal.rewrites.findLast(({ backup }) => backup === first.number);
  const then = { path: first.path, bytes: record?.backupBytes ?? first.sizeBytes };
  return [
    ...(await findSaid(original, backups, journal, then)),
    // Places in a later state are none in the original.
    ...(await findSaid(first, backups, journal, session)).map(({ before: _, ...stretch }) => stretch),
  ];
}

async function findSaid(
  chosen: Backup,
  backups: readonly Backup[],
  journal: Journal,
  session: SessionState,
): Promise<Stretch[]> {
  const said =
    findSaidSince(chosen, backups, journal, session) ?? (await findNewLines(chosen, backups, session));
  if (said !== undefined) return said;
  throw new OpenBotError(
    'RESTORE_FAILED',
    `${session.path} has no line in common with the backup ${chosen.path}`,
    {
      hint: 'Nothing was changed, since what was said in between cannot be told. The backup is a whole session: occ clone with its path makes a new one of it.',
    },
  );
}

/** The line that must hang from another one; undefined where there is none, or it names no parent that could be changed. */
function findLine(
  relink: Relink | undefined,
  said: readonly Stretch[],
  origins: ReadonlyMap<string, Transcript>,
): ChangedLine | undefined {
  for (const stretch of relink === undefined ? [] : said) {
    const transcript = origins.get(stretch.path)!;
    const index = transcript.indexOf(relink!.id);
    if (index === undefined) continue;
    const [start, end] = [transcript.startOf(index), transcript.endOf(index)];
    if (start < stretch.start || end > stretch.end) continue;
    if (relink!.isDone(transcript, index)) return undefined;
    const field = transcript.dialect === 'claude-code' ? 'parentUuid' : 'parentId';
    const text = readLineOf(stretch.path, transcript)(index).toString('latin1');
    const line = replaceTopLevelFields(text, new Map([[field, asciiJson(relink!.parentId)]]));
    return { stretch, start, end, line: Buffer.from(line, 'latin1') };
  }
  return undefined;
}

function readLinesOf(path: string, transcript: Transcript): SessionLines {
  const read = readLineOf(path, transcript);
  return { transcript, readLine: (index) => read(index).toString('latin1') };
}

/** The states that stretches are of, by path. */
async function openOrigins(
  path: string,
  now: Transcript,
  stretches: readonly Stretch[],
): Promise<ReadonlyMap<string, Transcript>> {
  const origins = new Map([[path, now]]);
  for (const stretch of stretches) {
    if (!origins.has(stretch.path)) origins.set(stretch.path, await scanTranscriptFile(stretch.path));
  }
  return origins;
}
