import { isJsonObject } from '../../entry/json-object.ts';
import type { OpenSessionEntry } from '../../entry/session-entry.ts';
import { indexMembers, type Member, type StoreDocument } from '../../store/document.ts';
import type { OpenclawDatabase } from '../open-database.ts';
import { assertKeepable, projectNewWindow, projectNode, projectWindow } from './project-entry.ts';

/** `entry_valid` of a row that only holds the sessions of a key together: its entry was deleted. */
export const NO_ENTRY = -1;

type EntryRow = { key: string; text: string };

/** The entries of a database, of all keys or of some, in the order in which they were made. */
export function loadEntries({ db }: Pick<OpenclawDatabase, 'db'>, keys?: readonly string[]): StoreDocument {
  const select = `SELECT session_key AS key, entry_json AS text FROM session_nodes WHERE entry_valid <> ${NO_ENTRY}`;
  const rows =
    keys === undefined
      ? db.prepare(`${select} ORDER BY rowid`).all()
      : keys.flatMap((key) => db.prepare(`${select} AND session_key = ?`).all(key));
  const members: Member[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const texts: Buffer[] = [];
  let length = 0;
  for (const { key, text } of rows as EntryRow[]) {
    const bytes = Buffer.from(text);
    members.push({ key, value: parseValue(text) });
    texts.push(bytes);
    starts.push(length);
    length += bytes.length;
    ends.push(length);
  }
  return indexMembers(Buffer.concat(texts), members, starts, ends);
}

/** What is kept under a key, also when it is not JSON: then it is a text, which no entry is. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An entry as it is written, neither checked nor frozen; undefined where it is none. */
export function parseEntry(text: string): OpenSessionEntry | undefined {
  const value = parseValue(text);
  return isJsonObject(value) ? (value as OpenSessionEntry) : undefined;
}

/** The entry of a key as it is, an empty one where something else is kept. */
function readEntry({ db }: OpenclawDatabase, key: string): OpenSessionEntry | undefined {
  const row = db
    .prepare(
      `SELECT entry_json AS text FROM session_nodes WHERE session_key = ? AND entry_valid <> ${NO_ENTRY}`,
    )
    .get(key) as { text: string } | undefined;
  return row && (parseEntry(row.text) ?? ({} as OpenSessionEntry));
}

/** Writes an entry as OpenClaw does: the entry itself, the columns that repeat parts of it, and its session. */
export function writeEntry(database: OpenclawDatabase, key: string, entry: OpenSessionEntry): void {
  const { db, schema } = database;
  const before = readEntry(database, key);
  assertKeepable(database, key, entry, before);
  upsert(
    database,
    'session_nodes',
    { session_key: key },
    {
      current_session_id: entry.sessionId,
      entry_json: JSON.stringify(entry),
      updated_at: entry.updatedAt,
      ...projectNode(entry),
    },
  );
  // As OpenClaw does with what it wrote: an entry that is not marked is refused by a run in progress.
  db.prepare('UPDATE session_nodes SET entry_valid = 1 WHERE session_key = ?').run(key);
  const isSameSession = before?.sessionId === entry.sessionId;
  upsert(
    database,
    'session_windows',
    { session_id: entry.sessionId },
    {
      updated_at: entry.updatedAt,
      ...projectWindow(key, entry),
      // A session that a key newly points to belongs to that key from now on.
      ...(isSameSession ? {} : { session_key: key }),
    },
    { session_key: key, ...projectNewWindow(entry) },
  );
  db.prepare(
    'UPDATE session_windows SET transcript_observed_at = coalesce(transcript_updated_at, updated_at) WHERE session_id = ?',
  ).run(entry.sessionId);
  if (before === undefined || isSameSession) return;
  // Who may take part was granted for the session before.
  for (const table of ['session_members', 'session_suggestions'])
    if (schema.has(table, 'session_key')) db.prepare(`DELETE FROM ${table} WHERE session_key = ?`).run(key);
}

type Cells = Record<string, string | number | null>;

/** Sets the cells of the row with that key; makes the row, with `onInsert` too, when there is none. */
function upsert(
  { db }: OpenclawDatabase,
  table: string,
  primary: Cells,
  cells: Cells,
  onInsert: Cells = {},
): void {
  const inserted = { ...onInsert, ...cells, ...primary };
  const names = Object.keys(inserted);
  const set = Object.keys(cells).map((name) => `${name} = excluded.${name}`);
  db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT (${Object.keys(primary).join(', ')}) DO UPDATE SET ${set.join(', ')}`,
  ).run(...Object.values(inserted));
}
