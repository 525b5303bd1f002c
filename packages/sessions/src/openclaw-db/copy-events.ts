import type { OpenclawDatabase } from './open-database.ts';

/** Copies lines of one session to another as they are kept, compressed ones too. */
export function openEventCopies(
  { db }: Pick<OpenclawDatabase, 'db'>,
  from: string,
  to: string,
): (seq: number, newSeq: number) => void {
  const copy = db.prepare(
    `INSERT INTO transcript_events
       (session_id, seq, event_json, event_zstd, event_utf8_bytes, navigation_json, created_at)
     SELECT ?, ?, event_json, event_zstd, event_utf8_bytes, navigation_json, created_at
     FROM transcript_events WHERE session_id = ? AND seq = ?`,
  );
  const identify = db.prepare(
    `INSERT INTO transcript_event_identities
       (session_id, event_id, seq, event_type, parent_id, message_idempotency_key, created_at)
     SELECT ?, event_id, ?, event_type, parent_id, message_idempotency_key, created_at
     FROM transcript_event_identities WHERE session_id = ? AND seq = ?`,
  );
  return (seq, newSeq) => {
    copy.run(to, newSeq, from, seq);
    identify.run(to, newSeq, from, seq);
  };
}
