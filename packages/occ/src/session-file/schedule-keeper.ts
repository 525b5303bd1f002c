import type { FoundSession } from '../sources/found-session.ts';
import { readJournal, updateJournal } from './journal.ts';
import type { ScheduleKeeper } from './schedule.ts';

/** The scheduled edit of a session is kept in its journal. */
export function keeperOf({ path, source }: FoundSession): ScheduleKeeper {
  return {
    read: async () => readJournal(path, source).scheduled,
    change: (change) =>
      updateJournal(path, source, ({ scheduled, ...journal }) => {
        const next = change(scheduled);
        return next === undefined ? journal : { ...journal, scheduled: next };
      }),
  };
}
