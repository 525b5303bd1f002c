import { OpenBotError } from '@openbot/sessions';
import { findFirstWords, findOpenclawFigure } from '@openbot/sessions/lines';
import {
  iterateEvents,
  type OpenclawDatabase,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import type { SessionAddress, SessionEnds } from '../contract/finding.ts';
import { parseObject } from '../files/transcript-head.ts';

/** No more of a transcript is read from its beginning, and from its end. */
const HEAD = { rows: 50, bytes: 1024 * 1024 };
const TAIL = { rows: 500, bytes: 128 * 1024 };

/** The ends of transcripts in databases. Each database is opened once. */
export function readEndsOfRows<Session extends SessionAddress>(
  sessions: readonly Session[],
): Map<Session, SessionEnds> {
  const ends = new Map<Session, SessionEnds>();
  for (const [path, own] of Map.groupBy(sessions, ({ path }) => path)) {
    try {
      readOpenclawDatabase(path, (database) => {
        for (const session of own) ends.set(session, readEnds(database, session.sessionId));
      });
    } catch (error) {
      if (!(error instanceof OpenBotError)) throw error;
      // What was read before the error may be of another state of the database.
      for (const session of own) ends.delete(session);
    }
  }
  return ends;
}

function readEnds(database: OpenclawDatabase, sessionId: string): SessionEnds {
  return {
    firstWords: findFirstWords(parseRows(database, sessionId, 'forwards')),
    figure: findOpenclawFigure(parseRows(database, sessionId, 'backwards')),
  };
}

/** Ends at a row that is too long or damaged. */
function* parseRows(
  database: OpenclawDatabase,
  sessionId: string,
  direction: 'forwards' | 'backwards',
): Generator<unknown> {
  const limit = direction === 'forwards' ? HEAD : TAIL;
  let rows = 0;
  let left = limit.bytes;
  try {
    for (const bytes of iterateEvents(database, sessionId, direction, limit.bytes)) {
      if (bytes === undefined || ++rows > limit.rows) return;
      left -= bytes.length;
      if (left < 0) return;
      yield parseObject(bytes.toString());
    }
  } catch (error) {
    // A damaged row concerns this session alone; an error of SQLite concerns all.
    if (!(error instanceof OpenBotError)) throw error;
  }
}
