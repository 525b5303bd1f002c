import { constants } from 'node:fs';
import { copyFile, type FileHandle, lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../disk/folders.ts';
import type { HeldLock } from '../../disk/held-lock.ts';
import { linkNew } from '../../disk/link-new.ts';
import { OpenBotError } from '../../errors.ts';
import { findFreeArchivePath } from '../../layout/file-name.ts';
import { contextOf } from '../../transcript/context/context.ts';
import { calibrate } from '../../transcript/context/tokens.ts';
import { lowerUsage, planLoweredUsage } from '../../transcript/rewrite/lower-usage.ts';
import { planRelinking } from '../../transcript/rewrite/relink.ts';
import { relinkedFieldsOf } from '../../transcript/rewrite/relinked-fields.ts';
import { type FieldValue, replaceTopLevelFields } from '../../transcript/rewrite/splice.ts';
import { DANGLING, type Transcript } from '../../transcript/transcript.ts';
import { activePath, leafOf } from '../../transcript/tree/tree.ts';
import type { LineCopier } from '../../transcript-file/copy-lines.ts';
import { describeFileFault } from '../../transcript-file/file-faults.ts';
import { readRange } from '../../transcript-file/file-parts.ts';
import { replaceTranscript } from '../../transcript-file/replace-transcript.ts';
import { scanTranscriptFile } from '../../transcript-file/scan.ts';
import { lineEndOf, openForReading, requireHeader } from '../own-transcript.ts';
import { type Cut, planCut } from './plan-cut.ts';

export interface TranscriptCompaction {
  kept: number;
  removed: number;
  /** Where the whole transcript is now; absent when nothing was removed. */
  archived?: string;
}

/**
 * Replaces a transcript by its end, in one step, and keeps the whole one as an archive. What is appended meanwhile by
 * a program that takes no lock is carried over. The transcript's lock must be held.
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
  let archive = '';
  await replaceTranscript(path, source, {
    readTo: transcript.byteLength,
    lock,
    doing: 'it was shortened',
    write: (copier) => writeEnd(copier, source, transcript, cut),
    verify: (temp) => verify(temp, path, transcript, cut),
    beforeSwap: async () => {
      archive = await keepWhole(path, at);
    },
    undo: () => unlink(archive).catch(() => {}),
  });
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
  const changesOf = planChanges(transcript, cut);
  for (let i = 0; i < transcript.length; ) {
    if (!cut.keeps[i]) {
      i++;
      continue;
    }
    const fields = changesOf(i);
    if (fields !== undefined) {
      const line = await readRange(source, transcript.startOf(i), transcript.endOf(i));
      await copier.put(Buffer.from(replaceTopLevelFields(line.toString('latin1'), fields), 'latin1'));
      await copier.copy(transcript.endOf(i), lineEndOf(transcript, i));
      i++;
      continue;
    }
    let last = i;
    while (cut.keeps[last + 1] && changesOf(last + 1) === undefined) last++;
    await copier.copy(transcript.startOf(i), lineEndOf(transcript, last));
    i = last + 1;
  }
}

function planChanges(
  transcript: Transcript,
  { keeps }: Cut,
): (index: number) => Map<string, FieldValue> | undefined {
  const isRemoved = (index: number) => keeps[index] === 0;
  const relinking = planRelinking(transcript, isRemoved);
  const context = contextOf(transcript, activePath(transcript).entries);
  const lowered = planLoweredUsage(transcript, context, calibrate(transcript, context), (index, now) =>
    keeps[index] ? now : undefined,
  );
  return (index) => {
    const fields = relinkedFieldsOf(transcript, relinking, index, isRemoved);
    if (lowered === undefined || !lowered.indices.includes(index)) return fields;
    const { tokens } = lowered;
    const usage = new Map([['usage', (json: string) => lowerUsage(json, tokens, 'openclaw')]]);
    return (fields ?? new Map()).set('message', (message: string) => replaceTopLevelFields(message, usage));
  };
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
  throw new OpenBotError('TRANSCRIPT_WRITE_FAILED', `What was to replace ${path} did not pass verification`, {
    hint: 'Nothing was changed. Another program rewrote the transcript at the same time, or the disk is failing.',
  });
}
