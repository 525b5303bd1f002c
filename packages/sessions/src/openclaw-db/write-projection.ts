import type { OpenclawDatabase } from './open-database.ts';
import type { ActiveRow, Projection } from './project-transcript.ts';

/** Puts a computed active path in the place of the one that is kept. Positions count from 0 without a gap. */
export function writeProjection(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
  projection: Projection,
  now: number,
): void {
  const { rows, leafEventId, indexedSeq, messageCount } = projection;
  db.prepare('DELETE FROM session_transcript_active_events WHERE session_id = ?').run(sessionId);
  const add = db.prepare(
    `INSERT INTO session_transcript_active_events
       (session_id, active_position, event_seq, message_position, context_eligible)
     VALUES (?, ?, ?, ?, ?)`,
  );
  for (const [position, { seq, messagePosition, contextEligible }] of rows.entries()) {
    add.run(sessionId, position, seq, messagePosition, contextEligible);
  }
  db.prepare(
    `INSERT INTO session_transcript_index_state
       (session_id, indexed_seq, leaf_event_id, needs_rebuild, active_event_count, active_message_count, updated_at)
     VALUES (?, ?, ?, 0, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET indexed_seq = excluded.indexed_seq,
       leaf_event_id = excluded.leaf_event_id, needs_rebuild = 0,
       active_event_count = excluded.active_event_count, active_message_count = excluded.active_message_count,
       updated_at = excluded.updated_at`,
  ).run(sessionId, indexedSeq, leafEventId, rows.length, messageCount, now);
}

/** An active path as it is kept. */
export interface KeptProjection extends Projection {
  /** Why OpenClaw does not read all of it. */
  readonly fault?: string;
}

/** The active path that is kept, where OpenClaw holds it to be up to date. */
export function readProjection(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
): KeptProjection | undefined {
  const state = db
    .prepare(
      `SELECT indexed_seq, leaf_event_id, needs_rebuild, active_event_count, active_message_count,
         (SELECT max(seq) FROM transcript_events WHERE session_id = state.session_id) AS last_seq
       FROM session_transcript_index_state AS state WHERE session_id = ?`,
    )
    .get(sessionId) as IndexState | undefined;
  if (state === undefined || state.needs_rebuild !== 0 || state.indexed_seq !== state.last_seq)
    return undefined;
  const rows = db
    .prepare(
      `SELECT event_seq AS seq, message_position AS messagePosition, context_eligible AS contextEligible
       FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position`,
    )
    .all(sessionId) as unknown as (ActiveRow | { contextEligible: null })[];
  if (rows.some(({ contextEligible }) => contextEligible === null)) return undefined;
  const last = db
    .prepare(
      'SELECT max(active_position) AS position FROM session_transcript_active_events WHERE session_id = ?',
    )
    .get(sessionId) as { position: number | null };
  const isWhole = state.active_event_count === rows.length && (last.position ?? -1) === rows.length - 1;
  return {
    rows: rows as ActiveRow[],
    leafEventId: state.leaf_event_id,
    indexedSeq: state.indexed_seq,
    messageCount: state.active_message_count,
    fault: isWhole ? undefined : 'rows are missing in it',
  };
}

type IndexState = {
  indexed_seq: number;
  leaf_event_id: string | null;
  needs_rebuild: number;
  active_event_count: number;
  active_message_count: number;
  last_seq: number | null;
};

/** Where two active paths differ, in a few words; undefined when they are the same. */
export function compareProjections(one: Projection, other: KeptProjection): string | undefined {
  if (other.fault !== undefined) return other.fault;
  if (one.rows.length !== other.rows.length) return `${one.rows.length} entries against ${other.rows.length}`;
  for (const [position, row] of one.rows.entries()) {
    const twin = other.rows[position]!;
    if (
      row.seq !== twin.seq ||
      row.messagePosition !== twin.messagePosition ||
      row.contextEligible !== twin.contextEligible
    )
      return `another entry at position ${position}`;
  }
  return one.leafEventId === other.leafEventId ? undefined : 'another leaf';
}
