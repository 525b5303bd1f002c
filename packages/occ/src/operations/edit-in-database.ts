import { editDatabaseSession, planDatabaseEdit } from '../session-db/edit-session.ts';
import { lookAtSession } from '../session-db/run-signs.ts';
import type { FileEditResult } from '../session-file/edit-file.ts';
import { type RunSigns, UNCORRECTED_HINT } from '../session-file/scheduled-edit.ts';
import { ownRunOf } from '../session-file/settle-use.ts';
import type { FoundSession, ResolvedSession, SearchPlace } from '../sources/found-session.ts';
import { type AskedEdit, describeEdit } from './describe-edit.ts';
import { describeFailedWrite } from './failed-write.ts';
import { lookAtRun } from './look-at-run.ts';
import type { EditOutcome } from './results.ts';
import { type EditDuringRun, scheduleCorrection } from './schedule-correction.ts';

export interface AskedDatabaseEdit extends AskedEdit {
  readonly place: SearchPlace;
  readonly dryRun?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly waitMs?: number | undefined;
}

/**
 * Cleans a session in OpenClaw's database. Nobody has to be waited for: a run in progress keeps what it has in memory, and
 * what it says next hangs from entries that stay.
 */
export async function editInDatabase(asked: AskedDatabaseEdit, found: ResolvedSession): Promise<EditOutcome> {
  const { session } = found;
  if (asked.dryRun) {
    return describeEdit(asked, found, planDatabaseEdit(session, asked.toolRemoval, asked.force), {
      dryRun: true,
    });
  }
  const ownRun = ownRunOf(session, found.foundBy, asked.place.env);
  let done: FileEditResult;
  let run: RunSigns | undefined;
  let runner: EditDuringRun['runner'];
  try {
    const seen = await lookAtRun(session, ownRun);
    ({ run, runner } = seen);
    done = await editDatabaseSession({
      session,
      options: asked.toolRemoval,
      force: asked.force,
      waitMs: asked.waitMs,
      isInRun: seen.isInRun,
      now: () => new Date(),
    });
  } catch (error) {
    throw describeFailedWrite(error, session.path, 'edit');
  }
  const { backupPath, plan } = done;
  if (backupPath === undefined || (ownRun === 'no' && !isRunning(run, session))) {
    return describeEdit(asked, found, done, {});
  }
  const { env } = asked.place;
  const during = { session, plan, backupPath, runner, run, force: asked.force, env };
  const isScheduled = await scheduleCorrection(during).then(
    () => true,
    () => false,
  );
  const who =
    ownRun === 'no'
      ? 'A run of this session is in progress: it'
      : 'This is the session that called occ: its run';
  const note = `${who} ${GOES_ON} ${isScheduled ? CORRECTED : UNCORRECTED_HINT}`;
  return describeEdit(asked, found, done, { note });
}

/** Before the edit or right after it: a run that began in between may have read the session as it was. */
function isRunning(before: RunSigns | undefined, { path, sessionId }: FoundSession): boolean {
  if (before?.isRunning) return true;
  try {
    return lookAtSession(path, sessionId).run?.isRunning ?? false;
  } catch {
    // The edit is made; what cannot be seen now is no reason to call it failed.
    return false;
  }
}

const GOES_ON = 'goes on with what it has in memory, and the next turn sees the cleaned session.';
const CORRECTED = "OpenClaw's token counts are corrected when the run ends.";
