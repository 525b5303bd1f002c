import { constants, renameSync } from 'node:fs';
import { copyFile, type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { HeldLock } from '../../disk/held-lock.ts';
import { makeLeftoverName } from '../../disk/leftover-name.ts';
import { linkNew } from '../../disk/link-new.ts';
import { syncFolder } from '../../disk/sync-folder.ts';
import { OpenBotError } from '../../errors.ts';
import { DANGLING, type Transcript } from '../../transcript/transcript.ts';
import { leafOf } from '../../transcript/tree.ts';
import { readRange } from '../../transcript-file/backward-lines.ts';
import { describeFileFault } from '../../transcript-file/file-faults.ts';
import { assertHeld } from '../../transcript-file/lock.ts';
import { scanTranscriptFile } from '../../transcript-file/scan.ts';
import { findFreeArchivePath } from '../archive/archive-transcript.ts';
import { lineEndOf, openForReading, requireHeader } from '../own-transcript.ts';
import { LineCopier } from './copy-lines.ts';
import { lowerUsageOf, planLoweredUsage } from './lower-usage.ts';
import { type Cut, planCut } from './plan-cut.ts';
import { planRelinkedFields } from './relinked-fields.ts';
import { type FieldValue, replaceTopLevelFields } from './replace-fields.ts';

export type TranscriptCompaction = {
  kept: number;
  removed: number;
  /** Where the whole transcript is now; absent when nothing was removed. */
  archived?: string;
};

/**
 * Replaces a transcript by its end, in one step, and keeps the whole one as an archive. What is appended meanwhile by
 * somebody who takes no lock is carried over. The transcript's lock must be held.
 */
export async function compactTranscript(
  path: string,
  maxLines: number,
  at: number,
  lock: HeldLock,
): Promise<TranscriptCompaction> {
  const source = await openForReading(path).catch((error) => {
    throw describeFileFault(path, error, 'read');
  });
  try {
    const transcript = await scanTranscriptFile(path);
    const cut = planCut(transcript, requireHeader(transcript, path), maxLines);
    const { kept, removed } = cut;
    if (removed === 0) return { kept, removed };
    return { kept, removed, archived: await replaceByEnd(path, source, transcript, cut, at, lock) };
  } catch (error) {
    throw describeFileFault(path, error, 'write');
  } finally {
    await source.close();
  }
}

async function replaceByEnd(
  path: string,
  source: FileHandle,
  transcript: Transcript,
  cut: Cut,
  at: number,
  lock: HeldLock,
): Promise<string> {
  const old = await source.stat();
  const temp = join(dirname(path), makeLeftoverName(basename(path), 'tmp'));
  const target = await open(temp, 'ax', 0o600);
  let isReplaced = false;
  let archive: string | undefined;
  try {
    const copier = new LineCopier(source, target);
    await writeEnd(copier, source, transcript, cut);
    await target.chmod(old.mode & 0o777);
    // Only root may give a file away; anybody else keeps it.
    await target.chown(old.uid, old.gid).catch(() => {});
    await target.sync();
    await verify(temp, path, transcript, cut);
    archive = await keepWhole(path, at);
    assertHeld(lock, path, 'it was shortened');
    // Nothing else of this process comes between these two, so that late lines keep their order.
    const end = copier.carryOver(transcript.byteLength);
    renameSync(temp, path);
    isReplaced = true;
    copier.carryOver(end);
    await target.sync();
  } catch (error) {
    if (!isReplaced) {
      await unlink(temp).catch(() => {});
      if (archive !== undefined) await unlink(archive).catch(() => {});
    }
    throw error;
  } finally {
    await target.close();
  }
  await syncFolder(dirname(path));
  return archive;
}

/** The whole transcript has two names for a moment rather than none. */
async function keepWhole(path: string, at: number): Promise<string> {
  const archive = await findFreeArchivePath(path, 'bak', at);
  // A transcript that had a second name before looks as if it had been linked.
  const isLinked = linkNew(path, archive) && (await isSameFile(path, archive));
  if (!isLinked) await copyFile(path, archive, constants.COPYFILE_EXCL);
  await syncFolder(dirname(path));
  return archive;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => lstat(path).catch(() => undefined)));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

async function writeEnd(
  copier: LineCopier,
  source: FileHandle,
  transcript: Transcript,
  cut: Cut,
): Promise<void> {
  const changes = planChanges(transcript, cut);
  for (let i = 0; i < transcript.length; ) {
    if (!cut.keeps[i]) {
      i++;
      continue;
    }
    const fields = changes.get(i);
    if (fields !== undefined) {
      const line = await readRange(source, transcript.startOf(i), transcript.endOf(i));
      await copier.put(Buffer.from(replaceTopLevelFields(line.toString('utf8'), fields)));
      await copier.copy(transcript.endOf(i), lineEndOf(transcript, i));
      i++;
      continue;
    }
    let last = i;
    while (cut.keeps[last + 1] && !changes.has(last + 1)) last++;
    await copier.copy(transcript.startOf(i), lineEndOf(transcript, last));
    i = last + 1;
  }
  await copier.flush();
}

function planChanges(transcript: Transcript, cut: Cut): Map<number, Map<string, FieldValue>> {
  const changes = planRelinkedFields(transcript, cut);
  const lowered = planLoweredUsage(transcript, cut);
  if (lowered === undefined) return changes;
  const fields = changes.get(lowered.index) ?? new Map<string, FieldValue>();
  return changes.set(
    lowered.index,
    fields.set('message', (message) => lowerUsageOf(message, lowered.tokens)),
  );
}

/** Reads back what was written: the same leaf, as many lines as planned, and no link that leads nowhere but old ones. */
async function verify(temp: string, path: string, before: Transcript, cut: Cut): Promise<void> {
  const after = await scanTranscriptFile(temp);
  let line = 0;
  const isAsPlanned = cut.keeps.every((keep, i) => {
    if (!keep) return true;
    const is = line++;
    if (is >= after.length || after.idOf(is) !== before.idOf(i) || after.kindOf(is) !== before.kindOf(i)) {
      return false;
    }
    return after.parentOf(is) !== DANGLING || before.parentOf(i) === DANGLING;
  });
  if (isAsPlanned && line === after.length && after.idOf(leafOf(after)) === before.idOf(leafOf(before)))
    return;
  throw new OpenBotError(
    'TRANSCRIPT_WRITE_FAILED',
    `What was to replace ${path} did not read back as planned`,
    {
      hint: 'Nothing was changed. Somebody rewrote the transcript at the same time, or the disk is failing.',
    },
  );
}
