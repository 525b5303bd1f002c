import { ownIdentity, type ProcessIdentity } from '@openbot/sessions/disk';
import { readJournal, updateJournal } from '../backups/journal.ts';
import { type ScheduledEdit, settleScheduledEdit } from '../backups/scheduled-edit.ts';

/** The scheduled edit in the journal of a session. @param path of the transcript beside which the journal is */
export function readRecord(path: string): ScheduledEdit | undefined {
  return readJournal(path).scheduled;
}

/** Changes it in one step, under the lock of the journal. */
export function changeRecord(
  path: string,
  change: (current: ScheduledEdit | undefined) => ScheduledEdit | undefined,
): Promise<void> {
  return updateJournal(path, ({ scheduled, ...journal }) => {
    const next = change(scheduled);
    return next === undefined ? journal : { ...journal, scheduled: next };
  });
}

/** The last scheduled edit with its present state, also if its process ended without recording an outcome. */
export function readScheduledEdit(path: string): ScheduledEdit | undefined {
  const first = readRecord(path);
  if (first === undefined) return undefined;
  const settled = settleScheduledEdit(first);
  if (settled === first) return first;
  // The process may have recorded its outcome and ended between the two reads.
  const second = readRecord(path);
  return second === undefined ? undefined : settleScheduledEdit(second);
}

/** Whether the task is still to be done, and by the worker with this id. */
export function isOurs(record: ScheduledEdit | undefined, id: string): record is ScheduledEdit {
  return record?.id === id && record.state === 'waiting';
}

export function recordProcess(path: string, id: string, identity: ProcessIdentity): Promise<void> {
  return changeRecord(path, (current) => (isOurs(current, id) ? { ...current, process: identity } : current));
}

/** For the worker: its parent may have ended before it recorded the worker's pid. */
export async function recordOwnProcess(path: string, id: string): Promise<void> {
  const current = readRecord(path);
  if (current?.id !== id || current.process.pid === process.pid) return;
  await recordProcess(path, id, ownIdentity());
}

export function recordOutcome(
  path: string,
  id: string,
  outcome: Pick<ScheduledEdit, 'state' | 'result' | 'error'>,
): Promise<void> {
  return changeRecord(path, (current) =>
    current?.id === id ? { ...current, ...outcome, finishedAt: new Date().toISOString() } : current,
  );
}
