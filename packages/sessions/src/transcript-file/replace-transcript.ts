import { futimesSync, renameSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HeldLock } from '../disk/held-lock.ts';
import { makeLeftoverName } from '../disk/leftover-name.ts';
import { syncFolder } from '../disk/sync-folder.ts';
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
  /** Looks at what is on disk before anybody sees it. Throwing leaves the old transcript in place. */
  verify(temp: string): Promise<void>;
  /** The last chance to do what must be done before the swap, such as keeping the old transcript. */
  beforeSwap?(temp: string): Promise<void>;
  /** Called when the swap did not happen although `beforeSwap` was begun. */
  undo?(): Promise<void>;
  /** What can be done while late lines may still come in. Its failure does not undo the swap. */
  afterSwap?(): Promise<void>;
}

/** Somebody who opened the old file just before the swap has mostly written to it by then. */
const LATE_WRITERS_MS = 5;

/**
 * Replaces a transcript in one step: everybody sees the old one or the new one, also after a power cut. Mode and owner
 * stay. Lines that somebody appends meanwhile without taking the lock are carried over, also those that arrive through a
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
  const temp = join(dirname(path), makeLeftoverName(basename(path), 'tmp'));
  const target = await open(temp, 'ax', 0o600);
  let isReplaced = false;
  let isPreparing = false;
  try {
    const copier = new LineCopier(source, target);
    await replacement.write(copier);
    await copier.flush();
    await target.chmod(old.mode & 0o777);
    // Only root may give a file away; anybody else keeps it.
    await target.chown(old.uid, old.gid).catch(() => {});
    await target.sync();
    await replacement.verify(temp);
    isPreparing = true;
    await replacement.beforeSwap?.(temp);
    assertHeld(lock, path, doing);
    // Nothing else of this process comes between these two, so that late lines keep their order.
    let end = copier.carryOver(replacement.readTo);
    if (replacement.keepsTime && end === replacement.readTo) {
      // Not the very same time: others tell from it that the file has changed.
      futimesSync(target.fd, old.atimeMs / 1000, (old.mtimeMs + 1) / 1000);
    }
    renameSync(temp, path);
    isReplaced = true;
    const carried = end;
    const settled = settle(path, target, replacement);
    [end] = await Promise.all([carryLateLines(copier, end, settled), settled]);
    if (end > carried) await target.sync();
    return end;
  } catch (error) {
    if (isReplaced) throw notSynced(path, error);
    await unlink(temp).catch(() => {});
    if (isPreparing) await replacement.undo?.();
    throw error;
  } finally {
    await target.close();
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

/**
 * Looks without a pause until `work` is done, and for some time at least: a late line that is carried over at once
 * still comes before the next one, which its writer appends to the new file.
 */
async function carryLateLines(copier: LineCopier, from: number, work: Promise<void>): Promise<number> {
  const until = performance.now() + LATE_WRITERS_MS;
  let isWorking = true;
  const done = () => {
    isWorking = false;
  };
  work.then(done, done);
  let end = from;
  do {
    end = copier.carryOver(end, true);
    await nextTurn();
  } while (isWorking || performance.now() < until);
  return copier.carryOver(end, true);
}
