import { editDatabaseSession, planDatabaseEdit } from '../session-db/edit-session.ts';
import { ownRunOf } from '../session-file/settle-use.ts';
import type { ResolvedSession, SearchPlace } from '../sources/found-session.ts';
import { type AskedEdit, describeEdit } from './describe-edit.ts';
import { describeFailedWrite } from './failed-write.ts';
import type { EditOutcome } from './results.ts';

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
    return describeEdit(asked, found, planDatabaseEdit(session, asked.toolRemoval), { dryRun: true });
  }
  try {
    const done = await editDatabaseSession({
      session,
      options: asked.toolRemoval,
      force: asked.force,
      waitMs: asked.waitMs,
      now: () => new Date(),
    });
    const isOwnRun = ownRunOf(session, found.foundBy, asked.place.env) !== 'no';
    const note = done.backupPath !== undefined && isOwnRun ? { note: OWN_RUN_NOTE } : {};
    return describeEdit(asked, found, done, note);
  } catch (error) {
    throw describeFailedWrite(error, session.path, 'edit');
  }
}

const OWN_RUN_NOTE =
  'This is the session that called occ: its run goes on with what it has in memory, and the next turn sees the cleaned session.';
