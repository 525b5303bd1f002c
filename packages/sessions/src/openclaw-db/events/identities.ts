import type { OpenclawDatabase } from '../open-database.ts';
import type { DatabaseTranscript } from './scan-transcript.ts';

/**
 * The id that OpenClaw keeps for another line than the one that has it, or for none; undefined where there is no such id.
 * Rows are found by it, and go with the line that it is kept for.
 */
export function findMisplacedId(
  { db }: Pick<OpenclawDatabase, 'db'>,
  sessionId: string,
  { transcript, seqs }: DatabaseTranscript,
): string | undefined {
  const rows = db.prepare(
    `SELECT event_id AS id, CAST(seq AS REAL) AS seq FROM transcript_event_identities
     WHERE session_id = ? ORDER BY transcript_event_identities.seq`,
  );
  let index = 0;
  for (const { id, seq } of rows.iterate(sessionId) as Iterable<{ id: string; seq: number }>) {
    while (index < seqs.length && seqs[index]! < seq) index++;
    const isThere = index < seqs.length && seqs[index] === seq;
    // A header has the id of its session, which is no entry's.
    const isItsOwn =
      isThere && (transcript.kindOf(index) === 'header' || transcript.idOf(index)?.trim() === id);
    if (!isItsOwn) return id;
  }
  return undefined;
}
