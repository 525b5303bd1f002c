import { activePath, type OpenBotError, reportProgress, type Transcript } from '@openbot/sessions';
import { FLAG, hasBoundThinking } from '@openbot/sessions/transcript';
import type { Rotation } from '../backups/rotate-backups.ts';
import type { CleanPlan } from '../clean/plan.ts';
import { planClean } from '../clean/plan-clean.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { EditOperationError } from '../errors.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { EntryChange, HoldOptions, SessionLines, SessionState } from '../storage/contract/rewriting.ts';
import type { SessionStorage } from '../storage/contract/storage.ts';
import { lowerCounters } from './counters.ts';
import { holdSession } from './hold-session.ts';
import { assertReadable } from './open-session.ts';
import { type PlannedRewrite, rewriteSession } from './rewrite-session.ts';
import { RewrittenLines } from './rewritten-lines.ts';
import { findStaleEntry, lookForStale, type StaleEntry } from './stale-thinking.ts';
import { findFault } from './verify-clean.ts';

interface SessionEdit extends HoldOptions {
  readonly options: ResolvedToolRemovalOptions;
  /** A run is in progress, which counts anew at its end: the entry is left to it. */
  readonly isInRun?: boolean;
  /** Called with the session held: a run may have begun while it was waited for. Throwing leaves everything as it is. */
  readonly assertIdle?: (transcript: Transcript) => void;
  readonly keepsOriginal?: boolean;
  readonly now: () => Date;
}

export interface EditedSession {
  readonly plan: CleanPlan;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  /** Absent where nothing was changed. */
  readonly backupPath?: string;
  readonly rotation?: Rotation;
  /** What went wrong after the session had been changed. */
  readonly fault?: Error;
  /** How many blocks of thinking an earlier rewrite had left behind changed lines. */
  readonly stale?: number;
  /** Why nothing was changed. */
  readonly unchanged?: 'nothing to clean' | 'would not shrink';
}

/** Cleans a session in place. */
export async function editSession(
  storage: SessionStorage,
  session: FoundSession,
  edit: SessionEdit,
): Promise<EditedSession> {
  const path = storage.transcriptPathOf(session);
  let planned: CleanPlan | undefined;
  let sizeBefore = 0;
  // Looked for once: the last attempt keeps other writers out.
  let stale: Promise<StaleEntry | undefined> | undefined;
  const rewriting = holdSession(storage, session, edit, (held) =>
    rewriteSession<EditedSession>(held, {
      kind: 'edit',
      path,
      now: edit.now,
      keepsOriginal: edit.keepsOriginal,
      plan: async (state) => {
        assertReadable(state.transcript, session.path);
        edit.assertIdle?.(state.transcript);
        reportProgress({ step: 'plan', text: 'Planning what to remove' });
        stale ??= findStaleEntry(path, state);
        const { from, blocks } = placeStale(await stale, state.transcript);
        planned = planClean(state.transcript, edit.options, state.readLine, from);
        sizeBefore = state.transcript.byteLength;
        return planEdit(state, planned, edit.isInRun ?? false, blocks);
      },
    }),
  );
  return rewriting.catch((error: unknown) => {
    if (!(error instanceof WouldNotShrink)) throw error;
    return leaveAsItIs(planned!, sizeBefore, 'would not shrink');
  });
}

/** What an edit would do. Nothing is written and nothing is locked. */
export async function planSessionEdit(
  storage: SessionStorage,
  session: FoundSession,
  options: ResolvedToolRemovalOptions,
  held: HoldOptions = {},
): Promise<EditedSession> {
  const { readToRewrite } = await storage.rewriting();
  const stale = await lookForStale(storage, session);
  return readToRewrite(session, held, (lines) => measureEdit(lines, session, options, stale));
}

function placeStale(stale: StaleEntry | undefined, transcript: Transcript) {
  const from = stale && transcript.indexOf(stale.id);
  return { from, blocks: from === undefined ? undefined : stale!.blocks };
}

function measureEdit(
  lines: SessionLines,
  session: FoundSession,
  options: ResolvedToolRemovalOptions,
  found: StaleEntry | undefined,
): EditedSession {
  const { transcript, readLine } = lines;
  assertReadable(transcript, session.path);
  reportProgress({ step: 'plan', text: 'Planning what to remove' });
  const { from, blocks: stale } = placeStale(found, transcript);
  const plan = planClean(transcript, options, readLine, from);
  const sizeBefore = transcript.byteLength;
  if (!plan.changes) return leaveAsItIs(plan, sizeBefore, 'nothing to clean');
  const sizeAfter = new RewrittenLines(lines, plan).measure();
  if (sizeAfter >= sizeBefore) return leaveAsItIs(plan, sizeBefore, 'would not shrink');
  return { plan, sizeBefore, sizeAfter, stale };
}

function leaveAsItIs(
  plan: CleanPlan,
  sizeBefore: number,
  unchanged: EditedSession['unchanged'],
): EditedSession {
  return { plan, sizeBefore, sizeAfter: sizeBefore, unchanged };
}

class WouldNotShrink extends Error {}

async function planEdit(
  state: SessionState,
  plan: CleanPlan,
  isInRun: boolean,
  stale: number | undefined,
): Promise<PlannedRewrite<EditedSession>> {
  const { transcript } = state;
  const sizeBefore = transcript.byteLength;
  const lower: EntryChange = (entry) => lowerCounters(entry, plan.tokens.after);
  if (!plan.changes) {
    if (isLastFigureOurs(transcript)) await state.catchUpEntry(lower);
    return { unchanged: leaveAsItIs(plan, sizeBefore, 'nothing to clean') };
  }
  let sizeAfter = 0;
  return {
    next: state.clean(plan),
    accept: (size) => {
      sizeAfter = size;
      if (sizeAfter >= sizeBefore) throw new WouldNotShrink();
    },
    verify: (after) => {
      const fault =
        findFault(transcript, after, plan) ??
        (after.byteLength === sizeAfter ? undefined : 'it has another size');
      if (fault !== undefined) throw notAsPlanned(fault, state.faultHint);
    },
    changeEntry: isInRun ? undefined : lower,
    isRepaired: hasBoundThinking(transcript, activePath(transcript).entries) ? true : undefined,
    describe: (done) => ({ plan, sizeBefore, sizeAfter, stale, ...done }),
  };
}

function notAsPlanned(fault: string, hint: string): OpenBotError {
  return new EditOperationError(`The rewritten session did not pass verification: ${fault}`, {
    hint: `Nothing was changed. ${hint}`,
  });
}

/** Whether the usage that agents decide on is one that a clean wrote. */
function isLastFigureOurs(transcript: Transcript): boolean {
  const last = activePath(transcript).entries.findLast((index) => transcript.usageTokensOf(index) > 0);
  return last !== undefined && transcript.has(last, FLAG.estimatedUsage);
}
