import { FIGURES_PREFIX, SCHEDULED_EDIT_VARIABLE } from '../schedule/schedule.ts';
import { keeperOf } from '../schedule/schedule-keeper.ts';
import { correctAfterRun } from '../storage/openclaw-sqlite/correct-after-run.ts';

/**
 * Does what this process was started for, where that is to correct the figures of a session after a run.
 * @param name the path of the transcript, where the session's journal stands beside it
 * @returns false where it was started for something else
 */
export async function correctScheduledFigures(
  env: Readonly<Record<string, string | undefined>>,
  name: string | undefined,
): Promise<boolean> {
  const id = env[SCHEDULED_EDIT_VARIABLE];
  if (!id?.startsWith(FIGURES_PREFIX) || name === undefined) return false;
  await correctAfterRun({ id, keeper: keeperOf({ path: name }) });
  return true;
}
