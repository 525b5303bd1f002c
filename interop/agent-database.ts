/** OpenClaw's database of one agent, read by a connection of our own: is it whole, and what does it say of a session? */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

export interface StoredSession {
  readonly id: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly entryValid: number;
  /** Events of the transcript in their order. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

export function databasePath(state: string): string {
  return join(state, 'agents/main/agent/openclaw-agent.sqlite');
}

/** What SQLite finds wrong, and active paths that have gaps or await a rebuild. */
export function findDatabaseFaults(state: string): string[] {
  const path = databasePath(state);
  if (!existsSync(path)) return ['there is no database'];
  using database = open(path);
  const all = (sql: string): Record<string, unknown>[] => database.prepare(sql).all();
  const integrity = all('PRAGMA integrity_check').map((row) => String(Object.values(row)[0]));
  return [
    ...integrity.filter((line) => line !== 'ok').map((line) => `integrity_check: ${line}`),
    ...all('PRAGMA foreign_key_check').map((row) => `foreign_key_check: ${JSON.stringify(row)}`),
    ...all('SELECT session_id FROM session_transcript_index_state WHERE needs_rebuild <> 0').map(
      (row) => `needs_rebuild: ${row.session_id}`,
    ),
    ...all(
      `SELECT session_id FROM session_transcript_active_events
       GROUP BY session_id HAVING min(active_position) <> 0 OR max(active_position) <> count(*) - 1`,
    ).map((row) => `gaps in the active path: ${row.session_id}`),
    ...all('SELECT session_key FROM session_nodes WHERE entry_valid = 0').map(
      (row) => `entry not valid: ${row.session_key}`,
    ),
  ];
}

export function readStoredSession(state: string, key: string): StoredSession | undefined {
  using database = open(databasePath(state));
  const node = database.prepare('SELECT * FROM session_nodes WHERE session_key = ?').get(key);
  if (node === undefined) return undefined;
  const id = String(node.current_session_id);
  const rows = database
    .prepare('SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq')
    .all(id);
  return {
    id,
    entry: parse(String(node.entry_json)),
    entryValid: Number(node.entry_valid),
    events: rows.map(({ event_json, event_zstd }) =>
      parse(
        event_json === null
          ? zstdDecompressSync(event_zstd as Uint8Array).toString('utf8')
          : String(event_json),
      ),
    ),
  };
}

function open(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: 5000 });
}

function parse(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}
