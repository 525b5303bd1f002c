import type { DatabaseSync } from 'node:sqlite';
import { projectSession, type StoredEvent } from './reference-projection.ts';

/** Both as JSON, one row a line; the first difference is enough to see what is wrong. */
function compareRows(what: string, stored: readonly object[], expected: readonly object[]): string[] {
  const [left, right] = [stored, expected].map((rows) => rows.map((row) => JSON.stringify(row)));
  const length = Math.max(left!.length, right!.length);
  for (let index = 0; index < length; index++) {
    if (left![index] !== right![index]) {
      return [`${what}: stored ${left![index] ?? 'nothing'}, a rebuild gives ${right![index] ?? 'nothing'}`];
    }
  }
  return [];
}

const byText = (left: object, right: object) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);

/** What is stored beside the events of a session, against what a rebuild would give. */
export function findProjectionFaults(
  database: DatabaseSync,
  sessionId: string,
  events: readonly StoredEvent[],
): string[] {
  const expected = projectSession(events);
  if (expected === undefined) return [];
  const active = database.prepare(
    `SELECT active_position AS activePosition, event_seq AS eventSeq, message_position AS messagePosition,
       context_eligible AS contextEligible
     FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position`,
  );
  const state = database.prepare(
    `SELECT indexed_seq AS indexedSeq, leaf_event_id AS leafEventId, needs_rebuild AS needsRebuild,
       active_event_count AS activeEventCount, active_message_count AS activeMessageCount
     FROM session_transcript_index_state WHERE session_id = ?`,
  );
  const search = database.prepare(
    `SELECT ids.message_id AS messageId, role, text, timestamp, fts.message_id AS textOf, fts.session_id AS session
     FROM session_transcript_fts_rows AS ids LEFT JOIN session_transcript_fts AS fts ON fts.rowid = ids.id
     WHERE ids.session_id = ?`,
  );
  const { indexedSeq, leafEventId, activeEventCount, activeMessageCount } = expected;
  const expectedState = { indexedSeq, leafEventId, needsRebuild: 0, activeEventCount, activeMessageCount };
  const expectedSearch = expected.searchRows.map(({ messageId, role, text, timestamp }) => {
    return { messageId, role, text, timestamp, textOf: messageId, session: sessionId };
  });
  return [
    ...compareRows('active event', active.all(sessionId), expected.activeRows),
    ...compareRows('index state', state.all(sessionId), [expectedState]),
    // The order of search rows means nothing: OpenClaw's own repairs append.
    ...compareRows('search row', search.all(sessionId).sort(byText), [...expectedSearch].sort(byText)),
  ];
}
