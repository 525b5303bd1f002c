import { UNCORRECTED_HINT } from '../backups/scheduled-edit.ts';
import { mayTouchLater } from '../clean/turn-zones.ts';
import { listOpenWriters } from '../in-use/open-writers.ts';
import type { OwnRun } from '../in-use/session-use.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import type { FileEditResult } from '../storage/files/edit-file.ts';
import { editDatabaseSession, planDatabaseEdit } from '../storage/openclaw-sqlite/edit-session.ts';
import { type AskedEdit, describeEdit } from './describe-edit.ts';
import { describeFailedWrite } from './failed-write.ts';
import { lookAtRun, type SeenRun } from './look-at-run.ts';
import type { EditOutcome } from './results.ts';
import { scheduleCorrection } from './schedule-correction.ts';

export interface AskedDatabaseEdit extends AskedEdit {
  readonly scope: SearchScope;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly waitMs?: number;
  readonly keepOriginal?: boolean;
}

function planOnly({ toolRemoval, force }: AskedDatabaseEdit, session: FoundSession): FileEditResult {
  try {
    return planDatabaseEdit(session, toolRemoval, force);
  } catch (error) {
    throw describeFailedWrite(error, session, 'edit');
  }
}

/**
 * Cleans a session in OpenClaw's database. Nobody has to be waited for: a run in progress keeps what it has in memory, and
 * what it says next hangs from entries that stay.
 */
export async function editInDatabase(
  asked: AskedDatabaseEdit,
  found: ResolvedSession,
  ownRun: OwnRun,
): Promise<EditOutcome> {
  const { session } = found;
  if (asked.dryRun) return describeEdit(asked, found, planOnly(asked, session), { dryRun: true });
  let done: FileEditResult;
  let seen: SeenRun | undefined;
  try {
    seen = await lookAtRun(session, ownRun);
    done = await editDatabaseSession({
      session,
      options: asked.toolRemoval,
      force: asked.force,
      waitMs: asked.waitMs,
      isInRun: seen.isInRun,
      keepsOriginal: asked.keepOriginal,
      now: () => new Date(),
    });
  } catch (error) {
    throw describeFailedWrite(error, session, 'edit');
  }
  const { backupPath, plan } = done;
  if (backupPath === undefined) {
    const isUndecided = seen.isInRun && mayTouchLater(plan.statistics.turnsWithToolsTotal, asked.toolRemoval);
    return describeEdit(asked, found, done, isUndecided ? { note: NOTHING_YET } : {});
  }
  // A run that began in between may have read the session as it was.
  if (!seen.isInRun) seen = await lookAgain(session);
  if (!seen?.isInRun) {
    const isOpenElsewhere = listOpenWriters(session.path, LOOK_MS).length > 0;
    return describeEdit(asked, found, done, isOpenElsewhere ? { note: LISTED_LATER } : {});
  }
  const { run, runner } = seen;
  const { env } = asked.scope;
  const fault = await scheduleCorrection({
    session,
    plan,
    backupPath,
    runner,
    run,
    force: asked.force,
    env,
  }).then(
    () => undefined,
    (error: Error) => error,
  );
  const who =
    ownRun === 'no'
      ? 'A run of this session is in progress: it'
      : 'This is the session that called occ: its run';
  const note = `${who} ${GOES_ON} ${fault === undefined ? CORRECTED : describeUncorrected(fault)}`;
  return describeEdit(asked, found, done, { note });
}

async function lookAgain(session: FoundSession): Promise<SeenRun | undefined> {
  try {
    return await lookAtRun(session, 'no');
  } catch {
    // The edit is made; what cannot be seen now is no reason to call it failed.
    return undefined;
  }
}

function describeUncorrected({ message, cause }: Error): string {
  const why = cause instanceof Error ? cause.message : message;
  return `OpenClaw's token counts cannot be corrected when the run ends: ${why}. ${UNCORRECTED_HINT}`;
}

/** A note is not worth more. */
const LOOK_MS = 200;
const NOTHING_YET =
  'Nothing to clean yet: a run of this session is in progress, which is never touched. Edit again when it is over.';
const LISTED_LATER = 'A running gateway may list the old token count until the next turn of this session.';
const GOES_ON = 'goes on with what it has in memory, and the next turn sees the cleaned session.';
const CORRECTED = "OpenClaw's token counts are corrected when the run ends.";
