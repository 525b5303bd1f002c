import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { mayTouchLater } from '../clean/turn-zones.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { type EditedSession, editSession, planSessionEdit } from '../rewrite/edit-session.ts';
import { scheduleEdit } from '../schedule/start-worker.ts';
import { storageOf } from '../storage/all.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import type { OwnRun, SettledUse, UseQuestion } from '../storage/contract/use.ts';
import { describeEdit } from './describe-edit.ts';
import { describeFailedWrite, noteAfterRewrite } from './failed-write.ts';
import type { EditOutcome } from './results.ts';

export interface EditOptions {
  readonly scope: SearchScope;
  /** Id, beginning of one, session key, label or path; the current session when left out. */
  readonly sessionId?: string;
  readonly toolRemoval: ResolvedToolRemovalOptions;
  readonly presetName?: string;
  /** Plans only. */
  readonly dryRun?: boolean;
  /** Goes on although the last exchange looks unfinished. A live lock is respected all the same. */
  readonly force?: boolean;
  /** How long to wait for a session that is in use. */
  readonly waitMs?: number;
  /** Leaves a session that is in use to a detached process, which edits when the run is over. */
  readonly whenIdle?: boolean;
  /** Keeps the first state when its backup is rotated out. True. */
  readonly keepOriginal?: boolean;
}

/** Cleans a session in place, after a backup. If it fails, the session is unchanged. */
export async function executeEdit(options: EditOptions): Promise<EditOutcome> {
  const { scope } = options;
  const found = await resolveSession(scope, options.sessionId);
  const use = await storageOf(found.session).use();
  const ownRun = use.ownRun(found.session, { foundBy: found.foundBy, env: scope.env });
  return editFound(options, found, { ownRun, canSchedule: true });
}

interface EditCaller {
  readonly ownRun: OwnRun;
  /** False for the worker of a scheduled edit. */
  readonly canSchedule: boolean;
  readonly scheduled?: UseQuestion['scheduled'];
}

export async function editFound(
  options: EditOptions,
  found: ResolvedSession,
  { ownRun, canSchedule, scheduled }: EditCaller,
): Promise<EditOutcome> {
  const { session } = found;
  const { force, waitMs, whenIdle, scope } = options;
  try {
    if (options.dryRun)
      return describeEdit(options, found, await planEdit(options, session), { dryRun: true });
    const use = await storageOf(session).use();
    const flags = { force, waitMs, whenIdle, canSchedule };
    const settled = await use.settle(session, { ownRun, env: scope.env, flags, scheduled });
    if (settled.act === 'schedule') return await scheduleFor(options, found, settled);
    const { isInRun, assertIdle } = settled;
    const done = await editSession(storageOf(session), session, {
      options: options.toolRemoval,
      keepsOriginal: options.keepOriginal,
      force,
      waitMs,
      isInRun,
      assertIdle,
      now: () => new Date(),
    });
    const note = await settled.afterEdit(done);
    return describeEdit(options, found, done, { note: noteAfterRewrite(done.fault, note) });
  } catch (error) {
    throw describeFailedWrite(error, session, 'edit');
  }
}

function planEdit({ toolRemoval, force }: EditOptions, session: FoundSession): Promise<EditedSession> {
  return planSessionEdit(storageOf(session), session, toolRemoval, { force });
}

async function scheduleFor(
  options: EditOptions,
  found: ResolvedSession,
  { note, runner }: Extract<SettledUse, { act: 'schedule' }>,
): Promise<EditOutcome> {
  const { session } = found;
  const { toolRemoval } = options;
  const planned = await planEdit(options, session);
  const { unchanged, plan } = planned;
  // The run in progress is never touched: whether it leaves something to clean is known when it is over.
  if (unchanged !== undefined && !mayTouchLater(plan.statistics.turnsWithToolsTotal, toolRemoval))
    return describeEdit(options, found, planned, {});
  await scheduleEdit({
    session,
    path: storageOf(session).transcriptPathOf(session),
    database: session.storage === 'sqlite' ? { path: session.path, sessionId: session.sessionId } : undefined,
    toolRemoval,
    keepsOriginal: options.keepOriginal,
    runner,
    env: options.scope.env,
  });
  const nothingYet = unchanged === undefined ? '' : ' At present there is nothing to clean.';
  return describeEdit(options, found, planned, { scheduled: true, note: note + nothingYet });
}
