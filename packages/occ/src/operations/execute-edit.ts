import { statSync } from 'node:fs';
import type { Transcript } from '@openbot/sessions';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { mayTouchLater } from '../clean/turn-zones.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { findRunner } from '../in-use/ancestors.ts';
import { describeUse } from '../in-use/decide-use.ts';
import { isLively, type OwnRun, type SessionUse } from '../in-use/session-use.ts';
import { judgeLastExchange } from '../in-use/unfinished-exchange.ts';
import { indexEntryOf } from '../rewrite/index-entry.ts';
import { ownRunOf, settleUse } from '../schedule/settle-use.ts';
import { scheduleEdit } from '../schedule/start-worker.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import { editSessionFile, type FileEditResult, planFileEdit } from '../storage/files/edit-file.ts';
import { describeEdit } from './describe-edit.ts';
import { editInDatabase } from './edit-in-database.ts';
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

/** Cleans a session in place, after a backup. Where it fails, the session is as it was. */
export async function executeEdit(options: EditOptions): Promise<EditOutcome> {
  const { scope } = options;
  const found = await resolveSession(scope, options.sessionId);
  const { session } = found;
  const ownRun = ownRunOf(session, found.foundBy, scope.env);
  if (session.storage === 'sqlite') return editInDatabase(options, found, ownRun);
  if (options.dryRun) {
    return describeEdit(options, found, await planEdit(options, session), { dryRun: true });
  }
  const settled = await settleUse({
    path: session.path,
    sessionId: session.sessionId,
    source: session.source,
    ownRun,
    flags: {
      force: options.force,
      waitMs: options.waitMs,
      whenIdle: options.whenIdle,
      canSchedule: true,
    },
  });
  if (settled.act === 'schedule') return scheduleFor(options, found, settled);
  return editFile(options, found, ownRun, settled.note);
}

async function planEdit({ toolRemoval }: EditOptions, { path }: FoundSession): Promise<FileEditResult> {
  try {
    return await planFileEdit(path, toolRemoval);
  } catch (error) {
    throw describeFailedWrite(error, path, 'edit');
  }
}

/** Edits a session without asking whether it is in use. */
export async function editFound(
  options: EditOptions,
  found: ResolvedSession,
  ownRun: OwnRun,
): Promise<EditOutcome> {
  const isInDatabase = found.session.storage === 'sqlite';
  return isInDatabase ? editInDatabase(options, found, ownRun) : editFile(options, found, ownRun);
}

async function editFile(
  options: EditOptions,
  found: ResolvedSession,
  ownRun: OwnRun,
  note?: string,
): Promise<EditOutcome> {
  const { session } = found;
  try {
    const done = await editSessionFile({
      path: session.path,
      options: options.toolRemoval,
      entry: indexEntryOf(session),
      lock: { timeoutMs: LOCK_WAIT_MS },
      keepsOriginal: options.keepOriginal,
      assertIdle: (transcript) => {
        if (!options.force && ownRun === 'no') assertIdle(session, transcript);
      },
      now: () => new Date(),
    });
    const told = done.backupPath === undefined ? undefined : noteAfterRewrite(done.fault, note);
    return describeEdit(options, found, done, told === undefined ? {} : { note: told });
  } catch (error) {
    throw describeFailedWrite(error, session.path, 'edit');
  }
}

/** The guess from the last exchange once more, of what is about to be rewritten. */
function assertIdle(session: FoundSession, transcript: Transcript): void {
  const ageMs = Date.now() - statSync(session.path).mtimeMs;
  if (!isLively(ageMs) || judgeLastExchange(transcript) !== 'unfinished') return;
  throw describeUse({ kind: 'unfinished', ageMs, ownRun: 'no' }, session.sessionId, true);
}

/** Others hold the lock for the time of one write; who holds it for longer was seen before. */
const LOCK_WAIT_MS = 5000;

async function scheduleFor(
  options: EditOptions,
  found: ResolvedSession,
  settled: { note: string; use: SessionUse },
): Promise<EditOutcome> {
  const { session } = found;
  const { toolRemoval } = options;
  const planned = await planEdit(options, session);
  const { unchanged, plan } = planned;
  // The run in progress is never touched: what there is to clean when it is over, it says then.
  if (unchanged !== undefined && !mayTouchLater(plan.statistics.turnsWithToolsTotal, toolRemoval))
    return describeEdit(options, found, planned, {});
  const note = unchanged === undefined ? settled.note : `${settled.note} ${NOTHING_YET}`;
  await scheduleEdit({
    path: session.path,
    source: session.source,
    toolRemoval,
    keepsOriginal: options.keepOriginal,
    runner: findRunner(settled.use),
    env: options.scope.env,
  });
  return describeEdit(options, found, planned, { scheduled: true, note });
}

const NOTHING_YET = 'As the session is now there is nothing to clean.';
