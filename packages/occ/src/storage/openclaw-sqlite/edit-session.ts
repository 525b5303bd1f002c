import { OpenBotError } from '@openbot/sessions';
import {
  assertWritable,
  type LineKeeper,
  type OpenclawDatabase,
  openDatabaseForWriting,
  type Projection,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import type { CleanPlan } from '../../clean/plan.ts';
import { planClean } from '../../clean/plan-clean.ts';
import type { ResolvedToolRemovalOptions } from '../../clean/tool-removal.ts';
import { lowerCounters } from '../../rewrite/counters.ts';
import { findFault } from '../../rewrite/verify-clean.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { FileEditResult } from '../files/edit-file.ts';
import { applyRewrite } from './apply-changes.ts';
import { type ReadSession, readSessionToRewrite } from './readable-session.ts';
import { rewriteWithBackup } from './rewrite-with-backup.ts';
import { RewrittenLines } from './rewritten-lines.ts';
import { transcriptPathOf } from './transcript-path.ts';

export interface DatabaseEdit {
  readonly session: FoundSession;
  readonly options: ResolvedToolRemovalOptions;
  /** Also changes a database of a version that is not known. */
  readonly force?: boolean;
  /** How long to wait for somebody who writes to the database. */
  readonly waitMs?: number;
  /** Somebody is at work on the session: its entry is left to him, who counts anew at the end of the run. */
  readonly isInRun?: boolean;
  readonly keepsOriginal?: boolean;
  readonly now: () => Date;
}

/** A plan for a session as it is at one moment. */
interface PlannedEdit {
  readonly session: ReadSession;
  readonly plan: CleanPlan;
  /** Where something is to be changed. */
  readonly lines?: RewrittenLines;
  readonly result: FileEditResult;
}

/** What an edit would do. Nothing is changed and nothing is left behind. */
export function planDatabaseEdit(
  session: FoundSession,
  options: ResolvedToolRemovalOptions,
  force = false,
): FileEditResult {
  const { path, sessionId } = session;
  // What would be refused is not promised.
  transcriptPathOf(session);
  return readOpenclawDatabase(path, (database) => {
    assertWritable(database, force);
    return planEdit(database, sessionId, options).result;
  });
}

/**
 * Plans, writes a backup, and changes the rows in one transaction, in which the result is verified. A run that is in
 * progress goes on with what it has in memory; its next turn sees the cleaned session.
 */
export async function editDatabaseSession(edit: DatabaseEdit): Promise<FileEditResult> {
  const { sessionId, path } = edit.session;
  return rewriteWithBackup<PlannedEdit, FileEditResult>({
    kind: 'edit',
    session: edit.session,
    now: edit.now,
    keepsOriginal: edit.keepsOriginal,
    open: () => openDatabaseForWriting(path, { force: edit.force, waitMs: edit.waitMs }),
    plan: (database, keeper) => planEdit(database, sessionId, edit.options, keeper),
    settled: ({ result }) => (result.unchanged === undefined ? undefined : result),
    apply: (database, planned, { generation, at }) => {
      applyEdit(database, edit, planned, generation, at);
    },
    describe: ({ result }, backupPath) => ({ ...result, backupPath }),
    sizeAfterOf: ({ result }) => result.sizeAfter,
  });
}

function planEdit(
  database: OpenclawDatabase,
  sessionId: string,
  options: ResolvedToolRemovalOptions,
  keeper?: LineKeeper,
): PlannedEdit {
  const session = readSessionToRewrite(database, sessionId, keeper);
  const { transcript, readLine } = session;
  const plan = planClean(transcript, options, readLine);
  const sizeBefore = transcript.byteLength;
  const same = { plan, sizeBefore, sizeAfter: sizeBefore };
  if (!plan.changes) return { session, plan, result: { ...same, unchanged: 'nothing to clean' } };
  const lines = new RewrittenLines(session, plan);
  const sizeAfter = lines.measure();
  if (sizeAfter >= sizeBefore) return { session, plan, result: { ...same, unchanged: 'would not shrink' } };
  return { session, plan, lines, result: { plan, sizeBefore, sizeAfter } };
}

function applyEdit(
  database: OpenclawDatabase,
  edit: DatabaseEdit,
  { session, plan, lines, result }: PlannedEdit,
  generation: string,
  at: Date,
): void {
  applyRewrite(database, {
    sessionId: edit.session.sessionId,
    before: session,
    changes: lines!.listChanges(),
    generation,
    now: at.getTime(),
    verify: (after, projection) => {
      const fault =
        findFault(session.transcript, after.transcript, plan) ?? findLostEntry(session, projection, plan);
      if (fault !== undefined) throw notAsPlanned(fault);
      if (after.transcript.byteLength !== result.sizeAfter) throw notAsPlanned('it has another size');
    },
    changeEntry: (entry) => (edit.isInRun ? undefined : lowerCounters(entry, plan.tokens.after)),
  });
}

/** The conversation must be the one that it was, without what was to go. */
function findLostEntry(
  { transcript, seqs, projection }: ReadSession,
  after: Projection,
  plan: CleanPlan,
): string | undefined {
  const gone = new Set<number>();
  for (let i = 0; i < transcript.length; i++) if (plan.isRemoved(i)) gone.add(seqs[i]!);
  const expected = projection.rows.filter(({ seq }) => !gone.has(seq));
  const isSame =
    expected.length === after.rows.length && expected.every(({ seq }, at) => after.rows[at]!.seq === seq);
  if (!isSame) return 'the conversation would take another path';
  return projection.leafEventId === after.leafEventId ? undefined : 'it would go on from another entry';
}

function notAsPlanned(fault: string): OpenBotError {
  return new OpenBotError('EDIT_FAILED', `The rewritten session did not read back as planned: ${fault}`, {
    hint: 'Nothing was changed. This session has a structure that is not known here.',
  });
}
