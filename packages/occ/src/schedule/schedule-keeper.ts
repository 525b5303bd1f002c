import { readJournal, updateJournal } from '../backups/journal.ts';
import { type ScheduledEdit, settleScheduledEdit } from '../backups/scheduled-edit.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { ScheduleKeeper } from './schedule.ts';

/** The scheduled edit of a session is kept in its journal. */
export function keeperOf({ path }: Pick<FoundSession, 'path'>): ScheduleKeeper {
  return {
    read: async () => readJournal(path).scheduled,
    change: (change) =>
      updateJournal(path, ({ scheduled, ...journal }) => {
        const next = change(scheduled);
        return next === undefined ? journal : { ...journal, scheduled: next };
      }),
  };
}

/** The last scheduled edit of a session as it stands, also where its process could not say what became of it. */
export function readScheduledEdit({ path }: Pick<FoundSession, 'path'>): ScheduledEdit | undefined {
  const read = () => readJournal(path).scheduled;
  const first = read();
  if (first === undefined) return undefined;
  const settled = settleScheduledEdit(first);
  if (settled === first) return first;
  // It may have left its outcome and ended between the two looks.
  const second = read();
  return second === undefined ? undefined : settleScheduledEdit(second);
}
