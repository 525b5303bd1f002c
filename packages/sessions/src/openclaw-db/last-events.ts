import { MAX_LINE_BYTES } from '../transcript/lines.ts';
import { type EventCells, readEvent } from './event-text.ts';
import type { OpenclawDatabase } from './open-database.ts';

/**
 * The lines of a transcript from the last one back, one at a time and none that is not asked for; undefined for one that
 * is too long to be held.
 */
export function* iterateEventsBackwards(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  sessionId: string,
): Generator<Buffer | undefined> {
  const rows = db.prepare(
    `SELECT CASE WHEN octet_length(event_json) <= ${MAX_LINE_BYTES} THEN event_json END AS event_json, event_zstd
     FROM transcript_events WHERE session_id = ? ORDER BY seq DESC`,
  );
  for (const row of rows.iterate(sessionId)) {
    const isTooLong = row.event_json === null && row.event_zstd === null;
    yield isTooLong ? undefined : readEvent(path, row as EventCells);
  }
}
