import { MAX_LINE_BYTES } from '../../transcript/lines.ts';
import { unreadable } from '../database-faults.ts';
import type { OpenclawDatabase } from '../open-database.ts';

/** More than this is never compressed. */
const MOST_COMPRESSED_BYTES = 4 * 1024 * 1024;

/** The two columns of `transcript_events` of which one holds the line. */
export type EventCells = {
  /** As text, or cast to bytes, which spares making a string of it. */
  readonly event_json: string | Uint8Array | null;
  readonly event_zstd: Uint8Array | null;
};

const OBJECT_END = 0x7d;

/** The bytes of a line, without its end. */
function readEvent(path: string, { event_json, event_zstd }: EventCells): Buffer {
  if (event_zstd !== null) return decompressEvent(path, event_zstd);
  if (typeof event_json === 'string' || event_json === null) return Buffer.from(event_json ?? '');
  return Buffer.from(event_json.buffer, event_json.byteOffset, event_json.byteLength);
}

/** The bytes of a line that is kept compressed. */
export function decompressEvent(path: string, compressed: Uint8Array): Buffer {
  try {
    const { zstdDecompressSync } = process.getBuiltinModule('node:zlib');
    const text = zstdDecompressSync(compressed, { maxOutputLength: MOST_COMPRESSED_BYTES });
    // Node 22 takes compressed bytes that were cut off for whole ones. A line is an object.
    if (text.at(-1) !== OBJECT_END) throw new Error('it is cut off');
    return text;
  } catch (error) {
    const why = `a compressed line in it is damaged (${(error as Error).message})`;
    throw unreadable(path, why, 'It was not changed. Restore a backup of the database.', error);
  }
}

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;

/** The same as a line of a file has it. */
export function readEventLine(path: string, cells: EventCells): Buffer {
  const bytes = readEvent(path, cells);
  return bytes.includes(LINE_END) || bytes.at(-1) === CARRIAGE_RETURN ? onOneLine(bytes) : bytes;
}

/** Between the parts of a JSON text a blank is as good as a line end, and within its strings there is none. */
function onOneLine(bytes: Buffer): Buffer {
  const line = Buffer.from(bytes);
  for (let end = line.indexOf(LINE_END); end >= 0; end = line.indexOf(LINE_END, end)) line[end] = BLANK;
  if (line.at(-1) === CARRIAGE_RETURN) line[line.length - 1] = BLANK;
  return line;
}

/** The lines of a transcript as a file would have them, one at a time, each with its end. */
export function* iterateEventLines(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  sessionId: string,
): Generator<Buffer> {
  const rows = db.prepare(
    `SELECT CAST(event_json AS BLOB) AS event_json, event_zstd
     FROM transcript_events WHERE session_id = ? ORDER BY seq`,
  );
  for (const row of rows.iterate(sessionId)) {
    yield Buffer.concat([readEventLine(path, row as EventCells), END]);
  }
}

const END = Buffer.from('\n');

/** SQLite reads the whole line for each part. */
const PART = MAX_LINE_BYTES;

/** One line in parts, without its end, as a line of a file has it. Only short lines are kept compressed. */
export function* readEventParts(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
  seq: number,
  size: number,
): Generator<Buffer> {
  const part = db.prepare(
    `SELECT substr(CAST(event_json AS BLOB), ?, ${PART}) AS part FROM transcript_events WHERE session_id = ? AND seq = ?`,
  );
  for (let at = 0; at < size; at += PART) {
    yield onOneLine(part.get(at + 1, sessionId, seq)!.part as Buffer);
  }
}

/**
 * The lines of a transcript, one at a time and none that is not asked for; undefined for one that is longer than
 * `maxBytes`.
 */
export function* iterateEvents(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  sessionId: string,
  direction: 'forwards' | 'backwards',
  maxBytes: number = MAX_LINE_BYTES,
): Generator<Buffer | undefined> {
  const rows = db.prepare(
    `SELECT CASE WHEN octet_length(event_json) <= ${maxBytes} THEN event_json END AS event_json,
       CASE WHEN coalesce(event_utf8_bytes, 0) <= ${maxBytes} THEN event_zstd END AS event_zstd
     FROM transcript_events WHERE session_id = ? ORDER BY seq ${direction === 'forwards' ? 'ASC' : 'DESC'}`,
  );
  for (const row of rows.iterate(sessionId)) {
    const isTooLong = row.event_json === null && row.event_zstd === null;
    yield isTooLong ? undefined : readEvent(path, row as EventCells);
  }
}

/** The lines of a transcript behind the one of a number; undefined for one that is longer than MAX_LINE_BYTES. */
export function* iterateEventsAfter(
  { path, db }: Pick<OpenclawDatabase, 'path' | 'db'>,
  sessionId: string,
  after: number,
): Generator<{ seq: number; line: Buffer | undefined }> {
  const rows = db.prepare(
    `SELECT CAST(seq AS REAL) AS seq,
       CASE WHEN octet_length(event_json) <= ${MAX_LINE_BYTES} THEN CAST(event_json AS BLOB) END AS event_json, event_zstd
     FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq`,
  );
  for (const row of rows.iterate(sessionId, after)) {
    const isTooLong = row.event_json === null && row.event_zstd === null;
    yield { seq: row.seq as number, line: isTooLong ? undefined : readEventLine(path, row as EventCells) };
  }
}
