/** Says something in a session as OpenClaw does: the rows, and all that is kept beside them, in one transaction. */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import {
  projectSession,
  type StoredEvent,
} from '../../../sessions/test/openclaw-db/setup/reference-projection.ts';

function readEvents(database: DatabaseSync, sessionId: string): StoredEvent[] {
  return database
    .prepare('SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq')
    .all(sessionId)
    .map((row) => ({
      seq: Number(row.seq),
      json:
        row.event_json === null
          ? zstdDecompressSync(row.event_zstd as Uint8Array).toString()
          : String(row.event_json),
      createdAt: Number(row.created_at),
    }));
}

function composeTurn(about: string): object[] {
  const call = `call_${randomUUID()}`;
  return [
    { role: 'user', content: `Question ${about}` },
    {
      role: 'assistant',
      content: [{ type: 'toolCall', id: call, name: 'read', arguments: { path: `${about}.txt` } }],
      stopReason: 'toolUse',
    },
    {
      role: 'toolResult',
      toolCallId: call,
      toolName: 'read',
      content: [{ type: 'text', text: `${about} `.repeat(100) }],
      isError: false,
    },
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${about}` }], stopReason: 'stop' },
  ];
}

/** @param messages a whole turn about the text, where none are given; one with a type is a line of its own */
export function appendTurn(
  database: DatabaseSync,
  sessionId: string,
  about: string,
  messages = composeTurn(about),
): void {
  database.exec('PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE');
  try {
    const before = readEvents(database, sessionId);
    const now = Date.now();
    let parentId = projectSession(before)!.leafEventId;
    let seq = before.at(-1)!.seq;
    for (const message of messages) {
      const links = { id: randomUUID() as string, parentId, timestamp: new Date(now).toISOString() };
      const event = 'type' in message ? { ...links, ...message } : { type: 'message', ...links, message };
      const json = JSON.stringify(event);
      database
        .prepare(
          `INSERT INTO transcript_events (session_id, seq, event_json, event_utf8_bytes, created_at)
           VALUES (?, ?, ?, ?, ?)`,
        )
        .run(sessionId, ++seq, json, Buffer.byteLength(json), now);
      database
        .prepare('INSERT INTO transcript_event_identities VALUES (?, ?, ?, ?, ?, NULL, ?)')
        .run(sessionId, event.id, seq, String(event.type), event.parentId, now);
      parentId = event.id;
    }
    writeProjection(database, sessionId, now);
    database
      .prepare(
        'UPDATE session_windows SET transcript_updated_at = max(?, transcript_updated_at + 1) WHERE session_id = ?',
      )
      .run(now, sessionId);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function writeProjection(database: DatabaseSync, sessionId: string, now: number): void {
  const projection = projectSession(readEvents(database, sessionId))!;
  for (const table of ['session_transcript_active_events', 'session_transcript_fts_rows'])
    database.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
  for (const { activePosition, eventSeq, messagePosition, contextEligible } of projection.activeRows)
    database
      .prepare('INSERT INTO session_transcript_active_events VALUES (?, ?, ?, ?, ?)')
      .run(sessionId, activePosition, eventSeq, messagePosition, contextEligible);
  for (const { messageId, role, text, timestamp } of projection.searchRows) {
    const { lastInsertRowid } = database
      .prepare('INSERT INTO session_transcript_fts_rows (session_id, message_id) VALUES (?, ?)')
      .run(sessionId, messageId);
    database
      .prepare(
        `INSERT INTO session_transcript_fts (rowid, text, session_id, message_id, role, timestamp)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(lastInsertRowid, text, sessionId, messageId, role, timestamp);
  }
  database
    .prepare(
      `UPDATE session_transcript_index_state SET indexed_seq = ?, leaf_event_id = ?, active_event_count = ?,
         active_message_count = ?, updated_at = ? WHERE session_id = ?`,
    )
    .run(
      projection.indexedSeq,
      projection.leafEventId,
      projection.activeEventCount,
      projection.activeMessageCount,
      now,
      sessionId,
    );
}
