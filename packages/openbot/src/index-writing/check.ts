import { reportProgress } from '@openbot/sessions';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { followingOf, type LocatedSession } from 'oc-context-cleaner';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { toSearchable } from '../index-db/searchable-text.ts';
import { isSameState, keyOf, listKnown, readStates } from './catch-up.ts';
import { extractLine } from './extract-line.ts';
import type { SessionsPlace } from './session-source.ts';
import { partOf } from './write-session.ts';

/** How a session in the index differs from its transcript. */
export interface Difference {
  /**
   * `missing`: the index does not have it. `stale`: its transcript has changed since it was read. `extra`: it has no
   * transcript any more. `wrong`: the index says something else than the transcript did when it was read.
   */
  readonly kind: 'missing' | 'stale' | 'extra' | 'wrong';
  readonly sessionId: string;
  readonly path: string;
}

export interface IndexCheck {
  readonly sessions: number;
  readonly messages: number;
  readonly differences: readonly Difference[];
}

/** Compares what the index has of a place with its files. Reads all of them; changes nothing. */
export async function checkIndex(database: IndexDatabase, place: SessionsPlace): Promise<IndexCheck> {
  await checkTables(database);
  const sessions = (await place.locate()).filter(({ missing, cold }) => !missing && !cold);
  const states = await readStates(sessions);
  const known = await listKnown(database, place);
  const differences: Difference[] = [];
  let messages = 0;
  reportProgress({ step: 'list', text: `Comparing ${formatQuantity(sessions.length, 'session')}` });
  for (const [at, session] of sessions.entries()) {
    reportProgress({ share: at / sessions.length });
    const state = states.get(session);
    if (state === undefined) continue;
    const key = keyOf(session.path, partOf(session));
    const had = known.get(key);
    known.delete(key);
    const kind =
      had === undefined ? 'missing' : isSameState(had.file, state) ? undefined : ('stale' as const);
    const found = kind ?? (await compareSession(database, session, had!.file.id));
    if (typeof found === 'number') messages += found;
    else differences.push({ kind: found, sessionId: session.sessionId, path: session.path });
  }
  for (const [key, { traits }] of known) {
    differences.push({ kind: 'extra', sessionId: traits.sessionId, path: key.split('\0')[0]! });
  }
  return { sessions: sessions.length, messages, differences };
}

/** SQLite's own checks: of the file, and of the words against the texts. Throws where they find something. */
async function checkTables(database: IndexDatabase): Promise<void> {
  await database.read(() => {
    const [row] = database.prepare('PRAGMA quick_check(1)').all();
    if (row?.quick_check !== 'ok') throw Object.assign(new Error(String(row?.quick_check)), { errcode: 11 });
  });
  if (database.isReadOnly) return;
  // Only as a change can they be asked for. Each takes a while, and between two of them others may write.
  for (const table of ['said', 'tools', 'chunk_words']) {
    await database.write(() =>
      database.prepare(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`).run(),
    );
  }
}

/** How many messages the index has of a session; `wrong` where they are not those of its transcript. */
async function compareSession(
  database: IndexDatabase,
  session: LocatedSession,
  id: number,
): Promise<number | 'wrong' | 'stale'> {
  const rows = await database.read(() =>
    database
      .prepare(
        `SELECT m.position, m.speaker, coalesce(s.text, '') AS said, coalesce(t.text, '') AS tools
         FROM messages AS m LEFT JOIN said AS s ON s.rowid = m.id LEFT JOIN tools AS t ON t.rowid = m.id
         WHERE m.session = ? ORDER BY m.id`,
      )
      .all(id),
  );
  let count = 0;
  let isSame = true;
  const following = await followingOf(session);
  const read = await following.readLines(session, {
    onLine: (line, position) => {
      const now = extractLine(line, position);
      if (now === undefined) return;
      const row = rows[count++];
      isSame &&=
        row?.position === position &&
        row.speaker === now.speaker &&
        row.said === toSearchable(now.said) &&
        row.tools === toSearchable(now.tools);
    },
  });
  if (read === undefined) return 'stale';
  return isSame && count === rows.length ? count : 'wrong';
}
