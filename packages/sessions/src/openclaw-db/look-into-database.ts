import type { StoredEntry } from '../store/contract.ts';
import { NO_ENTRY, parseEntry } from './entries/entry-rows.ts';
import { decompressEvent } from './events/event-text.ts';
import { statDatabase } from './file-versions.ts';
import { type OpenclawDatabase, readSessionDatabase } from './open-database.ts';

/** One session id in a database. */
export interface DatabaseSession {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** Whether the key now points to it. */
  readonly isCurrent: boolean;
  /** As it is written, neither checked nor frozen; only of a current session, and only if it is an object. */
  readonly entry: StoredEntry | undefined;
  /** Ms: the last change of the transcript, else of what is known of the session. */
  readonly updatedAt: number;
  /** Its lines were moved out of the database. */
  readonly isCold: boolean;
  /** Whether lines of it are in the database. */
  readonly hasTranscript: boolean;
}

type SessionRow = {
  sessionId: string;
  sessionKey: string;
  isCurrent: number;
  entryJson: string | null;
  updatedAt: number;
  isCold: number;
  hasTranscript: number;
};

/** Sessions with their key, and keys whose session has no lines yet. */
const SESSIONS = `
  SELECT w.session_id AS sessionId, w.session_key AS sessionKey, n.session_key IS NOT NULL AS isCurrent,
    n.entry_json AS entryJson, coalesce(w.transcript_updated_at, w.updated_at) AS updatedAt,
    EXISTS (SELECT 1 FROM session_transcript_cold_archives AS c WHERE c.session_id = w.session_id) AS isCold,
    EXISTS (SELECT 1 FROM transcript_events AS e WHERE e.session_id = w.session_id) AS hasTranscript
  FROM session_windows AS w
  LEFT JOIN session_nodes AS n
    ON n.session_key = w.session_key AND n.current_session_id = w.session_id AND n.entry_valid <> ${NO_ENTRY}
  UNION ALL
  SELECT n.current_session_id, n.session_key, 1, n.entry_json, n.updated_at, 0, 0
  FROM session_nodes AS n
  WHERE n.entry_valid <> ${NO_ENTRY} AND NOT EXISTS (
    SELECT 1 FROM session_windows AS w WHERE w.session_id = n.current_session_id AND w.session_key = n.session_key
  )`;

/**
 * What a database holds now, for a program that looks once and ends; undefined when there is none, or none in which
 * sessions are kept. No transcript is read.
 */
export function lookIntoOpenclawDatabase(path: string): DatabaseSession[] | undefined {
  if (statDatabase(path) === undefined) return undefined;
  return readSessionDatabase(path, listDatabaseSessions);
}

export function listDatabaseSessions({ db }: Pick<OpenclawDatabase, 'db'>): DatabaseSession[] {
  const sessions: DatabaseSession[] = [];
  // One row at a time: entries can be large, and only what is parsed of them is kept.
  for (const each of db.prepare(SESSIONS).iterate()) {
    const row = each as SessionRow;
    sessions.push({
      sessionId: row.sessionId,
      sessionKey: row.sessionKey,
      isCurrent: row.isCurrent === 1,
      entry: row.entryJson === null ? undefined : parseEntry(row.entryJson),
      updatedAt: row.updatedAt,
      isCold: row.isCold === 1,
      hasTranscript: row.hasTranscript === 1,
    });
  }
  return sessions;
}

interface TranscriptMeasure {
  /** As a file of lines, with their ends. */
  readonly sizeBytes: number;
  readonly events: number;
}

/** How large a transcript is. Lines are not read: their lengths precede them. */
export function measureDatabaseTranscript(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
): TranscriptMeasure {
  const row = db
    .prepare(
      // The recorded length follows the line, so it is asked for only where the line is small.
      `SELECT count(*) AS events, coalesce(sum(1 + coalesce(octet_length(event_json), event_utf8_bytes)), 0) AS sizeBytes
       FROM transcript_events WHERE session_id = ?`,
    )
    .get(sessionId) as { events: number; sizeBytes: number };
  return { sizeBytes: row.sizeBytes, events: row.events };
}

/** The first line of a transcript, its header; undefined when there is none in the database. */
export function readFirstEvent(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  sessionId: string,
): string | undefined {
  const row = db
    .prepare('SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq LIMIT 1')
    .get(sessionId) as { event_json: string | null; event_zstd: Uint8Array | null } | undefined;
  if (row === undefined) return undefined;
  return row.event_zstd === null
    ? (row.event_json ?? undefined)
    : decompressEvent(path, row.event_zstd).toString();
}

/** Whether the lines of a session were moved out of the database. */
export function isColdSession({ db }: Pick<OpenclawDatabase, 'db'>, sessionId: string): boolean {
  const query = db.prepare('SELECT 1 FROM session_transcript_cold_archives WHERE session_id = ?');
  return query.get(sessionId) !== undefined;
}

/** How large a transcript is that was moved out of the database, as a file of lines; undefined where that is not said. */
export function measureColdArchive(
  { db, schema }: Pick<OpenclawDatabase, 'db' | 'schema'>,
  sessionId: string,
): number | undefined {
  if (!schema.has('session_transcript_cold_archives', 'raw_bytes')) return undefined;
  const row = db
    .prepare('SELECT raw_bytes AS bytes FROM session_transcript_cold_archives WHERE session_id = ?')
    .get(sessionId) as { bytes: number } | undefined;
  // It counts the line ends between the lines, but none behind the last.
  return row === undefined ? undefined : row.bytes + 1;
}
