import { findSessionAtPath } from '../finding/session-at-path.ts';
import { editWhenIdle } from '../schedule/edit-when-idle.ts';
import { isOurs, readRecord } from '../schedule/record.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import { correctAfterRun } from '../storage/openclaw-sqlite/correct-after-run.ts';
import { editFound } from './execute-edit.ts';

export interface ScheduledTask {
  readonly scope: SearchScope;
  /** Of the transcript beside which the journal is; the transcript itself may be in a database. */
  readonly path: string;
  readonly id: string;
}

/**
 * Does what the journal of a session says under `id`: an edit when the session is idle, or the correction of figures
 * after a run. The outcome goes into the journal. Does nothing if another task has replaced this one.
 */
export async function runScheduledTask({ scope, path, id }: ScheduledTask): Promise<void> {
  const record = readRecord(path);
  if (!isOurs(record, id)) return;
  if (record.figures !== undefined) return correctAfterRun({ id, path });
  const { toolRemoval, keepsOriginal } = record;
  const session = findSessionAtPath(scope, path);
  const { sessionId } = session;
  await editWhenIdle({
    id,
    path,
    sessionId,
    edit: async () => {
      const options = { scope, sessionId: path, toolRemoval, keepOriginal: keepsOriginal };
      // The environment is that of the process that scheduled the edit. This process is not part of its run.
      const { result } = await editFound(options, { session, foundBy: 'argument' }, 'no');
      return result;
    },
  });
}
