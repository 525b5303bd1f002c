import { fstatSync, futimesSync, lstatSync, readSync, renameSync, type Stats } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deferEnding } from '../disk/ending.ts';
import { syncFolder } from '../disk/folders.ts';
import type { HeldLock } from '../disk/held-lock.ts';
import { makeLeftoverPath } from '../disk/leftover-name.ts';
import { OpenBotError } from '../errors.ts';
import { LineCopier } from './copy-lines.ts';
import { assertHeld } from './lock.ts';

export interface Replacement {
  /** How much of the old transcript `write` accounts for. What lies behind it is carried over as it is. */
  readonly readTo: number;
  readonly lock: HeldLock;
  /** Ends the sentence "the lock was lost before …". */
  readonly doing: string;
  /** A rewrite is no activity: the new file takes the old one's time, a moment later, unless lines came in. */
  readonly keepsTime?: boolean;
  /** Writes the new content through the copier. */
  write(copier: LineCopier): Promise<void>;
  /** Checks what is on disk before it is visible. Throwing leaves the old transcript in place. */
  verify(temp: string): Promise<void>;
  /** The last chance to do what must be done before the swap, such as keeping the old transcript. */
  beforeSwap?(temp: string): Promise<void>;
  /** Called when the swap did not happen although `beforeSwap` was begun. */
  undo?(): Promise<void>;
  /** What can be done while late lines may still come in. Its failure does not undo the swap. */
  afterSwap?(): Promise<void>;
}

/** A writer that opened the old file just before the swap has usually written to it by then. */
const LATE_WRITERS_MS = 5;

/** The same while lines keep coming in: a machine under load lets a writer wait between opening and writing. */
const BUSY_WRITERS_MS = 50;

/**
 * Replaces a transcript in one step: readers see the old one or the new one, also after a power cut. Its owner
 * stays, and its mode but for rights of others. Lines that another program appends meanwhile without the lock are carried over, also those that arrive through a
 * descriptor opened before the swap.
 * @returns how far in the old file lines were carried over
 */
export async function replaceTranscript(
  path: string,
  source: FileHandle,
  replacement: Replacement,
): Promise<number> {
  const { lock, doing } = replacement;
  const old = await source.stat();
  const tail = readTail(source, replacement.readTo);
  const temp = makeLeftoverPath(path, 'tmp');
  const target = await open(temp, 'ax', 0o600);
  let isReplaced = false;
  let isOver: (() => void) | undefined;
  try {
    const copier = new LineCopier(source, target);
    await replacement.write(copier);
    await copier.flush();
    await target.chmod(old.mode & 0o600);
    // Only root may change the owner; for other users it stays.
    await target.chown(old.uid, old.gid).catch(() => {});
    await finishBoth(target.sync(), replacement.verify(temp));
    isOver = deferEnding();
    await replacement.beforeSwap?.(temp);
    assertHeld(lock, path, doing);
    // Nothing else of this process comes between these two, so that late lines keep their order.
    assertSameFile(path, source, old, tail, replacement.readTo);
    const end = copier.carryOver(replacement.readTo);
    const ownEnd = fstatSync(target.fd).size;
    if (replacement.keepsTime && end === replacement.readTo) {
      // Not the very same time: others tell from it that the file has changed.
      futimesSync(target.fd, old.atimeMs / 1000, (old.mtimeMs + 1) / 1000);
    }
    renameSync(temp, path);
    isReplaced = true;
    const settled = settle(path, target, replacement);
    const isBusy = end > replacement.readTo;
    const [late] = await Promise.all([
      carryLateLines(copier, target, { end, ownEnd, isBusy, settled }),
      settled,
    ]);
    if (late.end > end) await target.sync();
    if (late.held.length > 0) await insertLines(path, late.ownEnd, late.held, lock);
    return late.end;
  } catch (error) {
    if (isReplaced) throw notSynced(path, error);
    await unlink(temp).catch(() => {});
    if (isOver !== undefined) await replacement.undo?.();
    throw error;
  } finally {
    await target.close();
    isOver?.();
  }
}

/** The disk is not waited for before the file is read back. Where one fails, the other is waited for all the same. */
async function finishBoth(...works: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(works)) {
    if (settled.status === 'rejected') throw settled.reason;
  }
}

function notSynced(path: string, cause: unknown): OpenBotError {
  if (cause instanceof OpenBotError) return cause;
  const message = `${path} has its new content, but the disk may not keep it: ${(cause as Error).message}`;
  return new OpenBotError('TRANSCRIPT_NOT_SYNCED', message, {
    hint: 'Check the disk. After a power cut the transcript is the old one or the new one.',
    cause,
  });
}

async function settle(path: string, target: FileHandle, replacement: Replacement): Promise<void> {
  await target.sync();
  await syncFolder(dirname(path));
  await replacement.afterSwap?.();
}

/** Enough of the end of what was read to see that it was overwritten. */
const TAIL = 4096;

function readTail(source: FileHandle, readTo: number): Buffer {
  const tail = Buffer.alloc(Math.min(TAIL, readTo));
  const count = tail.length === 0 ? 0 : readSync(source.fd, tail, 0, tail.length, readTo - tail.length);
  return tail.subarray(0, count);
}

/** Another program may have put a file of its own into the place, or written the old one anew. */
function assertSameFile(path: string, source: FileHandle, old: Stats, tail: Buffer, readTo: number): void {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now?.ino === old.ino && now.dev === old.dev && readTail(source, readTo).equals(tail)) return;
  throw new OpenBotError(
    'TRANSCRIPT_WRITE_FAILED',
    `${path} was rewritten by another program at the same time`,
    {
      hint: 'Nothing was changed; try again when that program has finished.',
    },
  );
}

interface LateLines {
  /** How far the old file was read. */
  end: number;
  /** How far the new file holds what we wrote ourselves, without anything of others in between. */
  ownEnd: number;
  /** Lines that came when others had already written to the new file: they belong before those. */
  held: Buffer;
}

/**
 * Looks without a pause until the rest is settled, and for some time at least. A late line that is carried over at once
 * still comes before the next one, which its writer appends to the new file.
 */
async function carryLateLines(
  copier: LineCopier,
  target: FileHandle,
  from: { end: number; ownEnd: number; isBusy: boolean; settled: Promise<void> },
): Promise<LateLines> {
  let until = performance.now() + (from.isBusy ? BUSY_WRITERS_MS : LATE_WRITERS_MS);
  let isWorking = true;
  const done = () => {
    isWorking = false;
  };
  from.settled.then(done, done);
  const late: LateLines = { end: from.end, ownEnd: from.ownEnd, held: Buffer.alloc(0) };
  for (let isLast = false; ; ) {
    const lines = copier.readLines(late.end);
    if (lines.length > 0) {
      until = Math.max(until, performance.now() + BUSY_WRITERS_MS);
      late.end += lines.length;
      if (late.held.length === 0 && fstatSync(target.fd).size === late.ownEnd) {
        copier.writeNow(lines);
        late.ownEnd += lines.length;
      } else late.held = Buffer.concat([late.held, lines]);
    }
    if (isLast) return late;
    await nextTurn();
    isLast = !isWorking && performance.now() >= until;
  }
}

/**
 * Puts lines into the middle of a transcript, in one step. Later lines may be their descendants, and must stay last.
 * The transcript's lock must be held.
 */
export async function insertLines(path: string, at: number, lines: Buffer, lock: HeldLock): Promise<void> {
  const source = await open(path, 'r');
  try {
    const { size } = await source.stat();
    await replaceTranscript(path, source, {
      readTo: size,
      lock,
      doing: 'late lines were put into their place',
      write: async (copier) => {
        await copier.copy(0, at);
        await copier.put(lines);
        await copier.copy(at, size);
      },
      verify: async (temp) => {
        if ((await stat(temp)).size !== size + lines.length) throw new Error('not all lines were written');
      },
    });
  } finally {
    await source.close();
  }
}
