import type { SessionEntry } from '../../entry/session-entry.ts';
import type { OpenclawDatabase } from '../open-database.ts';
import { NO_ENTRY, parseEntry } from './entry-rows.ts';

/**
 * Changes the entries whose keys now point to a session, within a transaction of the caller's. An entry that OpenClaw held
 * to be valid stays so: a run in progress refuses to go on with one that it has not checked.
 * @param change gives the entry as it is to be, undefined to leave it
 */
export function changeEntriesOfSession(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
  change: (entry: SessionEntry, key: string) => SessionEntry | undefined,
): void {
  const nodes = db
    .prepare(
      `SELECT session_key AS key, entry_json AS json, entry_valid AS valid
       FROM session_nodes WHERE current_session_id = ?`,
    )
    .all(sessionId) as { key: string; json: string; valid: number }[];
  const write = db.prepare('UPDATE session_nodes SET entry_json = ? WHERE session_key = ?');
  const validate = db.prepare('UPDATE session_nodes SET entry_valid = ? WHERE session_key = ?');
  for (const { key, json, valid } of nodes) {
    const entry = parseEntry(json);
    const changed = entry && change(entry, key);
    if (changed === undefined) continue;
    write.run(JSON.stringify(changed), key);
    validate.run(valid, key);
  }
}

/** The entries whose keys now point to a session. */
export function readEntriesOfSession(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
): SessionEntry[] {
  const rows = db
    .prepare(
      `SELECT entry_json AS json FROM session_nodes
       WHERE current_session_id = ? AND entry_valid <> ${NO_ENTRY} ORDER BY session_key`,
    )
    .all(sessionId) as { json: string }[];
  return rows.map(({ json }) => parseEntry(json)).filter((entry) => entry !== undefined);
}
