import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  type HeldLock,
  type LockOptions,
  replaceTranscript,
  scanOpenTranscript,
  scanTranscriptFile,
  type Transcript,
  withTranscriptLock,
} from '@openbot/sessions';
import type { CleanPlan } from '../clean/plan.ts';
import { planClean } from '../clean/plan-clean.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { EditOperationError } from '../errors.ts';
import type { SourceName } from '../sources/found-session.ts';
import { applyPlan, makeLineReader, measurePlan } from './apply-plan.ts';
import { rotateBackups } from './backups.ts';
import type { IndexEntry } from './index-entry.ts';
import { readJournal, updateJournal } from './journal.ts';
import { type BackupDraft, draftBackup } from './make-backup.ts';
import { keepingPlaceOf } from './place.ts';
import { hashTail } from './tail-hash.ts';
import { findFault } from './verify-clean.ts';

export interface FileEdit {
  readonly path: string;
  readonly source: SourceName;
  readonly options: ResolvedToolRemovalOptions;
  /** The session's entry in an index, whose counters are lowered too. */
  readonly entry?: IndexEntry | undefined;
  readonly lock?: LockOptions | undefined;
  readonly now: () => Date;
}

export interface FileEditResult {
  readonly plan: CleanPlan;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly backupPath?: string;
  /** Why nothing was changed. */
  readonly unchanged?: 'nothing to clean' | 'would not shrink';
}

/** Plans, writes beside the session, verifies from disk, backs up, swaps. Until the swap the session is untouched. */
export async function editSessionFile(edit: FileEdit): Promise<FileEditResult> {
  return withTranscriptLock(edit.path, (lock) => editLocked(edit, lock), edit.lock);
}

/** What an edit would do. Nothing is written and no lock is taken. */
export async function planFileEdit(
  path: string,
  options: ResolvedToolRemovalOptions,
): Promise<FileEditResult> {
  const source = await openSession(path);
  try {
    const transcript = await scanOpenTranscript(source, path);
    const readLine = makeLineReader(source, transcript);
    const plan = planClean(transcript, options, readLine);
    const sizeBefore = transcript.byteLength;
    if (!plan.changes) return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged: 'nothing to clean' };
    const sizeAfter = await measurePlan(transcript, plan, readLine);
    if (sizeAfter < sizeBefore) return { plan, sizeBefore, sizeAfter };
    return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged: 'would not shrink' };
  } finally {
    await source.close();
  }
}

async function editLocked(edit: FileEdit, lock: HeldLock): Promise<FileEditResult> {
  const source = await openSession(edit.path);
  const place = keepingPlaceOf(edit.path, edit.source);
  const backup = await draftBackup(edit.path, source, place, () => readJournal(edit.path, edit.source));
  let isDone = false;
  try {
    const transcript = await scanOpenTranscript(source, edit.path);
    const readLine = makeLineReader(source, transcript);
    const plan = planClean(transcript, edit.options, readLine);
    const sizeBefore = transcript.byteLength;
    if (!plan.changes) return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged: 'nothing to clean' };
    const done = await swap(edit, lock, source, transcript, plan, backup);
    if (done === undefined) return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged: 'would not shrink' };
    isDone = true;
    return { plan, sizeBefore, ...done };
  } finally {
    if (!isDone) await backup.discard();
    await source.close();
  }
}

class WouldNotShrink extends Error {}

async function swap(
  edit: FileEdit,
  lock: HeldLock,
  source: FileHandle,
  transcript: Transcript,
  plan: CleanPlan,
  backup: BackupDraft,
): Promise<{ sizeAfter: number; backupPath: string } | undefined> {
  let sizeAfter = 0;
  let backupPath = '';
  try {
    await replaceTranscript(edit.path, source, {
      readTo: transcript.byteLength,
      lock,
      doing: 'the session was changed',
      keepsTime: true,
      write: (copier) => applyPlan(copier, transcript, plan, makeLineReader(source, transcript)),
      verify: async (temp) => {
        const after = await scanTranscriptFile(temp);
        sizeAfter = after.byteLength;
        if (sizeAfter >= transcript.byteLength) throw new WouldNotShrink();
        const fault = findFault(transcript, after, plan);
        if (fault !== undefined) throw notAsPlanned(edit.path, fault);
      },
      beforeSwap: async (temp) => {
        await backup.settle(transcript.byteLength);
        const made = await backup.publish();
        backupPath = made.path;
        const counters = await edit.entry?.readCounters();
        const resultHash = hashTail(temp, sizeAfter) ?? '';
        await updateJournal(edit.path, edit.source, (journal) => ({
          ...journal,
          rewrites: [
            ...journal.rewrites,
            {
              kind: 'edit',
              backup: made.number,
              at: edit.now().toISOString(),
              backupBytes: transcript.byteLength,
              resultBytes: sizeAfter,
              resultHash,
              ...(counters === undefined ? {} : { counters }),
            },
          ],
        }));
      },
      undo: () => backup.discard(),
      afterSwap: async () => {
        await rotateBackups(keepingPlaceOf(edit.path, edit.source));
        await edit.entry?.lowerCounters(plan.tokens.after);
      },
    });
  } catch (error) {
    if (error instanceof WouldNotShrink) return undefined;
    throw error;
  }
  return { sizeAfter, backupPath };
}

function notAsPlanned(path: string, fault: string): EditOperationError {
  return new EditOperationError(`The rewritten session did not read back as planned: ${fault}`, {
    hint: `Nothing was changed. ${path} was rewritten by another program at the same time, or the disk is failing.`,
  });
}

function openSession(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}
