import { isProgressWanted, reportProgress } from '../../progress.ts';
import { TranscriptBuilder } from '../../transcript/builder.ts';
import { MAX_LINE_BYTES } from '../../transcript/lines.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { unreadable } from '../database-faults.ts';
import type { OpenclawDatabase } from '../open-database.ts';
import { type EventCells, readEventLine, readEventParts } from './event-text.ts';

/** The lines of one session as a transcript. Offsets are those of the file that the lines would make. */
export interface DatabaseTranscript {
  readonly transcript: Transcript;
  /** By index of an entry: the number of its row. */
  readonly seqs: readonly number[];
  /** The bytes of one line. */
  readBytes(index: number): Buffer;
  /** The same as text of one character a byte. */
  readLine(index: number): string;
}

interface EventRow extends EventCells {
  readonly seq: number;
  readonly size: number | null;
}

const EVENTS = `
  SELECT CAST(seq AS REAL) AS seq, CASE WHEN octet_length(event_json) <= ${MAX_LINE_BYTES} THEN CAST(event_json AS BLOB) END AS event_json,
    event_zstd, octet_length(event_json) AS size
  FROM transcript_events WHERE session_id = ?`;

/** Takes the lines of a session as they are read, and gives them again: reading a row twice costs more than that. */
export interface LineKeeper {
  /** The next line, without its end. */
  keep(line: Buffer): void;
  /** The same for one that is too long to be held in memory, in parts. */
  keepParts(parts: Iterable<Buffer>): void;
  /** The bytes at that place of the file that the lines would make. */
  read(start: number, end: number): Buffer;
}

/**
 * Reads the lines of a session once, one at a time. Nothing but what a Transcript holds is kept of them, unless there is
 * a keeper.
 */
export function scanDatabaseTranscript(
  database: OpenclawDatabase,
  sessionId: string,
  keeper?: LineKeeper,
): DatabaseTranscript {
  const builder = new TranscriptBuilder('openclaw');
  const seqs: number[] = [];
  let offset = 0;
  const rows = database.db.prepare(`${EVENTS} ORDER BY seq`).iterate(sessionId);
  const total = isProgressWanted() ? countRows(database, sessionId) : 0;
  for (const row of rows as Iterable<EventRow>) {
    // A number that JavaScript cannot tell from its neighbours names no row.
    if (!Number.isSafeInteger(row.seq)) throw unreadable(database.path, tooLarge(sessionId, seqs.length + 1));
    seqs.push(row.seq);
    if (total > 0 && seqs.length % REPORT_EVERY_ROWS === 0) reportProgress({ share: seqs.length / total });
    if (row.event_json === null && row.event_zstd === null) {
      const size = row.size ?? 0;
      keeper?.keepParts(readEventParts(database, sessionId, row.seq, size));
      builder.oversize(offset, offset + size, true);
      offset += size + 1;
      continue;
    }
    const bytes = readEventLine(database.path, row);
    keeper?.keep(bytes);
    builder.line(bytes, 0, bytes.length, offset, true);
    offset += bytes.length + 1;
  }
  for (const { line } of builder.oversizeLines) {
    builder.identify(line, readPlace(database, sessionId, seqs[line - 1]!));
  }
  const transcript = builder.finish(offset, 'openclaw');
  const readBytes = keeper
    ? (index: number) => keeper.read(transcript.startOf(index), transcript.endOf(index))
    : makeRowReader(database, sessionId, seqs);
  return { transcript, seqs, readBytes, readLine: (index) => readBytes(index).toString('latin1') };
}

function tooLarge(sessionId: string, line: number): string {
  return `line ${line} of session '${sessionId}' has a number (seq) beyond ${Number.MAX_SAFE_INTEGER}`;
}

const REPORT_EVERY_ROWS = 256;

function countRows({ db }: OpenclawDatabase, sessionId: string): number {
  const counted = db
    .prepare('SELECT count(*) AS total FROM transcript_events WHERE session_id = ?')
    .get(sessionId);
  return Number(counted?.total ?? 0);
}

function makeRowReader(
  database: OpenclawDatabase,
  sessionId: string,
  seqs: readonly number[],
): (index: number) => Buffer {
  const statement = database.db.prepare(
    `SELECT CAST(event_json AS BLOB) AS event_json, event_zstd
     FROM transcript_events WHERE session_id = ? AND seq = ?`,
  );
  return (index) => {
    const row = statement.get(sessionId, seqs[index]!) as EventCells | undefined;
    if (row === undefined) throw new Error('the session became shorter while it was read');
    return readEventLine(database.path, row);
  };
}

/** What is known of a line that is too long to be looked into. */
function readPlace({ db }: OpenclawDatabase, sessionId: string, seq: number): Record<string, string> {
  const row = db
    .prepare(
      `SELECT event_id AS id, event_type AS type, parent_id AS parentId
       FROM transcript_event_identities WHERE session_id = ? AND seq = ?`,
    )
    .get(sessionId, seq) as { id: string; type: string | null; parentId: string | null } | undefined;
  if (row === undefined) return {};
  return {
    id: row.id,
    ...(row.type === null ? {} : { type: row.type }),
    ...(row.parentId === null ? {} : { parentId: row.parentId }),
  };
}
