import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import {
  asciiJson,
  type HeldLock,
  type LineCopier,
  type LockOptions,
  replaceTopLevelFields,
  scanOpenTranscript,
  scanTranscriptFile,
  type Transcript,
  withTranscriptLock,
} from '@openbot/sessions';
import { RestoreError } from '../errors.ts';
import { type Backup, listBackupFiles } from './backups.ts';
import { chooseBackup } from './choose-backup.ts';
import { expectPath, type Relink, type SessionLines } from './expected-path.ts';
import type { IndexEntry } from './index-entry.ts';
import { isOfDatabase, type Journal, type RewriteRecord, readJournal } from './journal.ts';
import { openSession } from './open-session.ts';
import { type OriginalState, withOriginal } from './original-state.ts';
import { keepingPlaceOf } from './place.ts';
import { rewriteSession } from './rewrite-session.ts';
import type { Rotation } from './rotate-backups.ts';
import { findNewLines, findSaidSince, type SessionState, type Stretch } from './said-since.ts';
import { tidyUp } from './tidy-up.ts';
import { describeContext, findUnheard, type RestoredContext } from './verify-heard.ts';
import { assertSameLeaf, assertSameLinks, type OriginOf, unheard } from './verify-restored.ts';

export interface FileRestore {
  readonly path: string;
  readonly sessionId: string;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number | undefined;
  /** The first state in the place of a backup. */
  readonly original?: boolean | undefined;
  readonly keepsOriginal?: boolean | undefined;
  readonly entry?: IndexEntry | undefined;
  readonly lock?: LockOptions | undefined;
  /** Also where the model would not be given all that comes back. */
  readonly force?: boolean | undefined;
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
  readonly record?: RewriteRecord | undefined;
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
        linesKept = countLines(after, whole.end);
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
  return listBackupFiles(keepingPlaceOf(path), path).filter(({ number }) => !foreign.has(number));
}

function ofDatabase(what: string, path: string): RestoreError {
  return new RestoreError(`${what} was made of OpenClaw's database, not of ${path}`, {
    hint: 'Nothing was changed. The session in the database is named by its id; what is kept is a whole session: copy it where you need it.',
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
    ...(await findSaid(original, [], journal, then)),
    ...(await findSaid(first, backups, journal, session)),
  ];
}

async function findSaid(
  chosen: Backup,
  backups: readonly Backup[],
  journal: Journal,
  session: SessionState,
): Promise<Stretch[]> {
  const said = findSaidSince(chosen, backups, journal, session) ?? (await findNewLines(chosen, session));
  if (said !== undefined) return said;
  throw new RestoreError(`${session.path} has no line in common with the backup ${chosen.path}`, {
    hint: 'Nothing was changed, since what was said in between cannot be told. The backup is a whole session: copy it where you need it.',
  });
}

/** A stretch, and where it begins in what was written. */
interface Piece extends Stretch {
  readonly at: number;
}

async function writeRestored(
  copier: LineCopier,
  whole: Stretch,
  said: readonly Stretch[],
  changed: ChangedLine | undefined,
): Promise<Piece[]> {
  await copyStretch(copier, whole);
  const pieces: Piece[] = [{ ...whole, at: 0 }];
  let at = whole.end;
  let written = whole;
  const add = async (stretch: Stretch) => {
    await copyStretch(copier, stretch);
    pieces.push({ ...stretch, at });
    at += stretch.end - stretch.start;
  };
  for (const stretch of said) {
    if (await areApart(written, stretch)) {
      await copier.put(Buffer.from('\n'));
      at++;
    }
    if (changed?.stretch === stretch) {
      await add({ ...stretch, end: changed.start });
      await copier.put(changed.line);
      pieces.push({ ...stretch, start: changed.start, end: changed.end, at });
      at += changed.line.length;
      await add({ ...stretch, start: changed.end });
    } else await add(stretch);
    written = stretch;
  }
  return pieces;
}

/** A line of what was said since that comes in another form. */
interface ChangedLine {
  readonly stretch: Stretch;
  readonly start: number;
  readonly end: number;
  readonly line: Buffer;
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
    const text = readLinesOf(stretch.path, transcript).readLine(index);
    const line = replaceTopLevelFields(text, new Map([[field, asciiJson(relink!.parentId)]]));
    return { stretch, start, end, line: Buffer.from(line, 'latin1') };
  }
  return undefined;
}

function readLinesOf(path: string, transcript: Transcript): SessionLines {
  return {
    transcript,
    readLine: (index) => {
      const file = openSync(path, 'r');
      try {
        const line = Buffer.alloc(transcript.endOf(index) - transcript.startOf(index));
        readSync(file, line, 0, line.length, transcript.startOf(index));
        return line.toString('latin1');
      } finally {
        closeSync(file);
      }
    },
  };
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

function originOfLines(
  after: Transcript,
  pieces: readonly Piece[],
  origins: ReadonlyMap<string, Transcript>,
): OriginOf {
  return (index) => {
    const start = after.startOf(index);
    const piece = pieces.findLast(({ at }) => at <= start)!;
    const transcript = origins.get(piece.path)!;
    const line = findLineAt(transcript, piece.start + start - piece.at);
    return line === undefined ? undefined : { transcript, index: line };
  };
}

/** The line that begins at an offset; undefined in the middle of one. */
function findLineAt(transcript: Transcript, offset: number): number | undefined {
  let low = 0;
  let high = transcript.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const start = transcript.startOf(middle);
    if (start === offset) return middle;
    if (start < offset) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Whether a line end is missing between the two. What follows may also be the rest of a line that was begun before. */
async function areApart(one: Stretch, next: Stretch): Promise<boolean> {
  if (await isLineStart(one.path, one.end)) return false;
  return (await isLineStart(next.path, next.start)) && (await byteAt(next.path, next.start)) !== LINE_FEED;
}

async function isLineStart(path: string, at: number): Promise<boolean> {
  return at === 0 || (await byteAt(path, at - 1)) === LINE_FEED;
}

const LINE_FEED = 0x0a;
const CHUNK = 256 * 1024;

async function copyStretch(copier: LineCopier, { path, start, end }: Stretch): Promise<void> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, end - start));
    for (let at = start; at < end; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
      await copier.put(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

async function byteAt(path: string, at: number): Promise<number> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(1);
    await file.read(buffer, 0, 1, at);
    return buffer[0]!;
  } finally {
    await file.close();
  }
}

/** How many lines stand behind the backup's. */
function countLines(after: Transcript, end: number): number {
  let lines = 0;
  for (let i = after.length - 1; i >= 0 && after.startOf(i) >= end; i--) {
    if (after.kindOf(i) !== 'blank') lines++;
  }
  return lines;
}
