import { FLAG } from '../../transcript/entry.ts';
import { ABSENT } from '../../transcript/formats/dialect.ts';
import { DANGLING, type Transcript } from '../../transcript/transcript.ts';
import { isCanonicalEntry } from '../../transcript/tree/openclaw-tree.ts';
import { activePath } from '../../transcript/tree/tree.ts';
import type { OpenclawDatabase } from '../open-database.ts';
import type { DatabaseTranscript } from './scan-transcript.ts';

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
interface KeptProjection extends Projection {
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
      `SELECT CAST(indexed_seq AS REAL) AS indexed_seq, leaf_event_id, needs_rebuild, active_event_count, active_message_count,
         (SELECT CAST(max(seq) AS REAL) FROM transcript_events WHERE session_id = state.session_id) AS last_seq
       FROM session_transcript_index_state AS state WHERE session_id = ?`,
    )
    .get(sessionId) as IndexState | undefined;
  if (state === undefined || state.needs_rebuild !== 0 || state.indexed_seq !== state.last_seq)
    return undefined;
  const rows = db
    .prepare(
      `SELECT CAST(event_seq AS REAL) AS seq, message_position AS messagePosition, context_eligible AS contextEligible
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

interface IndexState {
  indexed_seq: number;
  leaf_event_id: string | null;
  needs_rebuild: number;
  active_event_count: number;
  active_message_count: number;
  last_seq: number | null;
}

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

/** A row of the active path, as OpenClaw keeps it. */
interface ActiveRow {
  readonly seq: number;
  readonly messagePosition: number | null;
  readonly contextEligible: 0 | 1;
}

/** What OpenClaw keeps beside the lines so that it need not read them all. */
export interface Projection {
  /** By active position. */
  readonly rows: readonly ActiveRow[];
  /** What the next entry will hang from. */
  readonly leafEventId: string | null;
  readonly indexedSeq: number;
  readonly messageCount: number;
}

/** Computes the active path of a session from its lines alone, by OpenClaw's rules. */
export function projectTranscript(scanned: DatabaseTranscript): Projection {
  const { transcript, seqs } = scanned;
  const rows: ActiveRow[] = [];
  let messageCount = 0;
  for (const index of findPath(transcript)) {
    const isMessage = transcript.has(index, FLAG.hasMessage);
    rows.push({
      seq: seqs[index]!,
      messagePosition: isMessage ? messageCount++ : null,
      contextEligible: isExcluded(scanned, index) ? 0 : 1,
    });
  }
  return {
    rows,
    leafEventId: transcript.appendParentId,
    indexedSeq: seqs.at(-1) ?? -1,
    messageCount,
  };
}

/** Where no entry is the end of a path, all lines that say something are it, unless a line moved the end there. */
function findPath(transcript: Transcript): readonly number[] {
  const { entries, brokenAt } = activePath(transcript);
  const isRing = brokenAt !== undefined && transcript.parentOf(brokenAt) !== DANGLING;
  if (transcript.tree !== undefined && entries.length > 0 && !isRing) return entries;
  return transcript.tree?.hasLeafControl ? [] : listInOrder(transcript);
}

function listInOrder(transcript: Transcript): number[] {
  const listed: number[] = [];
  for (let i = 0; i < transcript.length; i++) {
    const isPlaced = transcript.idNumberOf(i) >= 0 && transcript.parentNumberOf(i) !== ABSENT;
    const isLinked = isPlaced && (transcript.kindOf(i) !== 'leaf' || transcript.controls.has(i));
    if (isLinked || isCanonicalEntry(transcript, i) || transcript.has(i, FLAG.hasMessage)) listed.push(i);
  }
  return listed;
}

/** What was read of a line is not always enough: the flag may be beside the message, or in one that is not read. */
function isExcluded({ transcript, readBytes }: DatabaseTranscript, index: number): boolean {
  if (!transcript.has(index, FLAG.hasMessage)) return false;
  if (transcript.kindOf(index) === 'message' && !transcript.has(index, FLAG.outOfContext)) return false;
  const event = JSON.parse(readBytes(index).toString()) as {
    message: { excludeFromContext?: unknown } | null;
  };
  return event.message?.excludeFromContext === true;
}
