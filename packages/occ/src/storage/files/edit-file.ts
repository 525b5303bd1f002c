import { activePath, OpenBotError, type Transcript } from '@openbot/sessions';
import type { HeldLock, LockOptions } from '@openbot/sessions/disk';
import { FLAG, scanOpenTranscript, withTranscriptLock } from '@openbot/sessions/transcript';
import type { Rotation } from '../../backups/rotate-backups.ts';
import type { CleanPlan } from '../../clean/plan.ts';
import { planClean } from '../../clean/plan-clean.ts';
import type { ResolvedToolRemovalOptions } from '../../clean/tool-removal.ts';
import { applyPlan, makeLineReader, measurePlan } from '../../rewrite/apply-plan.ts';
import type { IndexEntry } from '../../rewrite/index-entry.ts';
import { assertReadable, openSession } from '../../rewrite/open-session.ts';
import { rewriteSession } from '../../rewrite/rewrite-session.ts';
import { findFault } from '../../rewrite/verify-clean.ts';
import { tidyUp } from './tidy-up.ts';

export interface FileEdit {
  readonly path: string;
  readonly options: ResolvedToolRemovalOptions;
  /** The session's entry in an index, whose counters are lowered too. */
  readonly entry?: IndexEntry;
  readonly lock?: LockOptions;
  /** Asked with the lock held: a run may have begun while it was waited for. Throwing leaves everything as it is. */
  readonly assertIdle?: (transcript: Transcript) => void;
  readonly keepsOriginal?: boolean;
  readonly now: () => Date;
}

export interface FileEditResult {
  readonly plan: CleanPlan;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly backupPath?: string;
  /** What became of old backups. */
  readonly rotation?: Rotation;
  /** What went wrong when the session had been changed. */
  readonly fault?: Error;
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
    assertReadable(transcript, path);
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
  await tidyUp(edit.path, lock);
  const source = await openSession(edit.path);
  try {
    const transcript = await scanOpenTranscript(source, edit.path);
    assertReadable(transcript, edit.path);
    edit.assertIdle?.(transcript);
    const plan = planClean(transcript, edit.options, makeLineReader(source, transcript));
    const sizeBefore = transcript.byteLength;
    if (!plan.changes) {
      // An earlier clean may have been killed before it came to the index.
      if (isLastFigureOurs(transcript)) await edit.entry?.lowerCounters(plan.tokens.after);
      return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged: 'nothing to clean' };
    }
    let sizeAfter = 0;
    const done = await rewriteSession({
      ...edit,
      kind: 'edit',
      session: source,
      transcript,
      lock,
      write: (copier) => applyPlan(copier, transcript, plan, makeLineReader(source, transcript)),
      verify: (after) => {
        sizeAfter = after.byteLength;
        if (sizeAfter >= sizeBefore) throw new WouldNotShrink();
        const fault = findFault(transcript, after, plan);
        if (fault !== undefined) throw notAsPlanned(edit.path, fault);
      },
      afterSwap: async () => edit.entry?.lowerCounters(plan.tokens.after),
    }).catch((error: unknown) => {
      if (error instanceof WouldNotShrink) return undefined;
      throw error;
    });
    if (done !== undefined) {
      const { backup, rotation, fault } = done;
      return { plan, sizeBefore, sizeAfter, backupPath: backup.path, rotation, ...(fault && { fault }) };
    }
    return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged: 'would not shrink' };
  } finally {
    await source.close();
  }
}

class WouldNotShrink extends Error {}

function notAsPlanned(path: string, fault: string): OpenBotError {
  return new OpenBotError('EDIT_FAILED', `The rewritten session did not read back as planned: ${fault}`, {
    hint: `Nothing was changed. ${path} was rewritten by another program at the same time, or the disk is failing.`,
  });
}

/** Whether the usage that agents decide on is one that a clean wrote. */
function isLastFigureOurs(transcript: Transcript): boolean {
  const last = activePath(transcript).entries.findLast((index) => transcript.usageTokensOf(index) > 0);
  return last !== undefined && transcript.has(last, FLAG.estimatedUsage);
}
