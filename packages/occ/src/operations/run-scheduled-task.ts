import { findSessionAtPath } from '../finding/session-at-path.ts';
import { editWhenIdle } from '../schedule/edit-when-idle.ts';
import { isOurs, readRecord } from '../schedule/record.ts';
import { storageOf } from '../storage/all.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import { sessionInDatabase } from '../storage/openclaw-sqlite/figures/run-in-progress.ts';
import { editFound } from './execute-edit.ts';

interface ScheduledTask {
  readonly scope: SearchScope;
  /** Of the transcript beside which the journal is; the transcript itself may be in a database. */
  readonly path: string;
  readonly id: string;
}

/** For how long a run in a database is waited for before the worker looks whether it still has to wait. */
const LOOK_MS = 30_000;

/**
 * Does what the journal of a session says under `id`: an edit when the session is idle, or the correction of figures
 * after a run. The outcome goes into the journal. Does nothing if another task has replaced this one.
 */
export async function runScheduledTask({ scope, path, id }: ScheduledTask): Promise<void> {
  const record = readRecord(path);
  if (!isOurs(record, id) || record.source === undefined) return;
  const { source, storage, toolRemoval, keepsOriginal } = record;
  if (record.figures !== undefined) {
    const use = await storageOf({ source, storage }).use();
    return use.correctAfterRun?.({ id, path });
  }
  const { database } = record;
  const session =
    database === undefined
      ? findSessionAtPath({ ...scope, source }, path)
      : sessionInDatabase(database.path, database.sessionId);
  await editWhenIdle({
    id,
    path,
    sessionId: session.sessionId,
    edit: async () => {
      // A run in a database shows only there.
      const waitMs = database === undefined ? undefined : LOOK_MS;
      const options = { scope, toolRemoval, keepOriginal: keepsOriginal, waitMs };
      // The environment is that of the process that scheduled the edit. This process is not part of its run.
      const scheduled = { runner: record.runner };
      const caller = { ownRun: 'no', canSchedule: false, scheduled } as const;
      const { result } = await editFound(options, { session, foundBy: 'argument' }, caller);
      return result;
    },
  });
}
