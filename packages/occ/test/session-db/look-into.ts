/** What a database holds, read without the code under test. Nothing is changed, and no file is left behind. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';

type Row = Record<string, SQLOutputValue>;

export function lookInto<T>(path: string, look: (database: DatabaseSync) => T): T {
  const url = pathToFileURL(path);
  const isAtRest = !existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0;
  if (isAtRest) url.search = '?immutable=1';
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

export function changeDatabase(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path);
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

export function queryOne(path: string, sql: string, ...values: string[]): Row {
  return lookInto(path, (database) => database.prepare(sql).get(...values)) ?? {};
}

/** Every row of every table, by table; the index of the full text is told by its own content. */
export function readAllRows(path: string): Record<string, Row[]> {
  return lookInto(path, (database) => {
    const tables = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all();
    const isShadow = (name: string) => /_fts_(config|content|data|docsize|idx)$/.test(name);
    return Object.fromEntries(
      tables
        .map(({ name }) => String(name))
        .filter((name) => !isShadow(name) && !name.startsWith('sqlite_'))
        .map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]),
    );
  });
}

/** Every row that belongs to a session or to a key, by table, and those that belong to none under an empty name. */
export function readRowsOf(path: string, sessionId: string, key: string): Record<string, Row[]> {
  const found = Object.entries(readAllRows(path)).map(([table, rows]) => {
    const own = rows.filter((row) => row.session_id === sessionId || row.session_key === key);
    return [table, own] as const;
  });
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
}

export interface StoredLine {
  readonly seq: number;
  readonly text: string;
  readonly isCompressed: boolean;
  /** All columns, to compare. */
  readonly row: Row;
}

export function readLinesOf(path: string, sessionId: string): StoredLine[] {
  return lookInto(path, (database) =>
    database
      .prepare('SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq')
      .all(sessionId)
      .map((row) => ({
        seq: Number(row.seq),
        text:
          row.event_json === null
            ? zstdDecompressSync(row.event_zstd as Uint8Array).toString()
            : String(row.event_json),
        isCompressed: row.event_zstd !== null,
        row,
      })),
  );
}

/** The lines of a session as a file would have them. */
export function readAsFile(path: string, sessionId: string): string {
  return readLinesOf(path, sessionId)
    .map(({ text }) => `${text}\n`)
    .join('');
}

/** The sequence numbers of the active path. */
export function readPathOf(path: string, sessionId: string): number[] {
  return lookInto(path, (database) =>
    database
      .prepare(
        'SELECT event_seq AS seq FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position',
      )
      .all(sessionId)
      .map(({ seq }) => Number(seq)),
  );
}

export interface SessionMarks {
  readonly generation: string | null;
  readonly updatedAt: number;
  readonly observedAt: number;
  readonly leaf: string | null;
  readonly needsRebuild: number;
}

export function readMarksOf(path: string, sessionId: string): SessionMarks {
  return queryOne(
    path,
    `SELECT generation, transcript_updated_at AS updatedAt, transcript_observed_at AS observedAt,
       leaf_event_id AS leaf, needs_rebuild AS needsRebuild
     FROM session_windows AS win LEFT JOIN transcript_rewrite_watermarks AS mark USING (session_id)
       LEFT JOIN session_transcript_index_state AS state USING (session_id)
     WHERE win.session_id = ?`,
    sessionId,
  ) as unknown as SessionMarks;
}

export function readEntryOf(path: string, key: string): { valid: number; entry: Record<string, unknown> } {
  const row = queryOne(path, 'SELECT entry_json, entry_valid FROM session_nodes WHERE session_key = ?', key);
  return { valid: Number(row.entry_valid), entry: JSON.parse(String(row.entry_json)) };
}
