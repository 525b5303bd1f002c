import type { ProcessIdentity } from '@openbot/sessions/disk';
import { backupPathOf, backupPathsOf } from '../backups/backup-paths.ts';
import { readJournal } from '../backups/journal.ts';
import type { RunSigns } from '../backups/scheduled-edit.ts';
import type { CleanPlan } from '../clean/plan.ts';
import { scheduleEdit } from '../schedule/start-worker.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { lookAtSession } from '../storage/openclaw-sqlite/run-signs.ts';
import { transcriptPathOf } from '../storage/openclaw-sqlite/transcript-path.ts';

/** An edit of a session in a database that was made while a run of it was in progress. */
export interface EditDuringRun {
  readonly session: FoundSession;
  readonly plan: CleanPlan;
  readonly backupPath: string;
  readonly runner: Partial<ProcessIdentity> | undefined;
  /** As the session was before the edit. */
  readonly run: RunSigns | undefined;
  readonly force?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Has the figures corrected that the run writes down at its end: it goes on with what it has in memory, and records how
 * much that is.
 */
export async function scheduleCorrection(edit: EditDuringRun): Promise<void> {
  const { session, plan, run } = edit;
  const path = transcriptPathOf(session);
  const paths = backupPathsOf(path);
  const { rewrites } = readJournal(path);
  const record = rewrites.findLast(({ backup }) => backupPathOf(paths, backup) === edit.backupPath);
  const now = lookAtSession(session.path, session.sessionId).run;
  // A run that has ended since the edit is one to be corrected after, so what was seen of it before counts.
  const signs = run?.isRunning ? run : now;
  if (record?.generations === undefined || signs === undefined) throw new Error('its record is gone');
  await scheduleEdit({
    path,
    source: session.source,
    toolRemoval: plan.options,
    figures: {
      database: session.path,
      sessionId: session.sessionId,
      backup: record.backup,
      generation: record.generations.after,
      calibration: plan.calibration,
      run: signs,
      ...(edit.force ? { force: true } : {}),
    },
    runner: edit.runner,
    env: edit.env,
  });
}
