import { OpenBotError } from '@openbot/sessions';
import {
  iterateEvents,
  type OpenclawDatabase,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import type { SessionAddress } from '../contract/finding.ts';
import { searchBackwards } from '../files/open-calls.ts';

/** The open calls of sessions in databases. Each database is opened once. */
export function readOpenCallsOfRows<Session extends SessionAddress>(
  sessions: readonly Session[],
): Map<Session, unknown[]> {
  const calls = new Map<Session, unknown[]>();
  for (const [path, own] of Map.groupBy(sessions, ({ path }) => path)) readInDatabase(path, own, calls);
  return calls;
}

function readInDatabase<Session extends SessionAddress>(
  path: string,
  sessions: readonly Session[],
  calls: Map<Session, unknown[]>,
): void {
  try {
    readOpenclawDatabase(path, (database) => {
      for (const session of sessions) calls.set(session, readInEvents(database, session.sessionId));
    });
  } catch {
    // What was read before the error may be of another state of the database.
    for (const session of sessions) calls.delete(session);
  }
}

function readInEvents(database: OpenclawDatabase, sessionId: string): unknown[] {
  try {
    const look = searchBackwards();
    for (const bytes of iterateEvents(database, sessionId, 'backwards')) {
      const found = look(bytes);
      if (found !== undefined) return found;
    }
  } catch (error) {
    // A damaged line concerns this session alone; an error of SQLite concerns all.
    if (!(error instanceof OpenBotError)) throw error;
  }
  return [];
}
