import type { LocatedSession, ReadPlace, TranscriptState } from 'oc-context-cleaner';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { toSearchable } from '../index-db/searchable-text.ts';
import type { ExtractedLine } from './extract-line.ts';
import type { SessionsPlace, SessionTraits } from './session-source.ts';

/** What the index has of a session. */
export interface IndexedFile extends TranscriptState {
  readonly id: number;
  readonly place: ReadPlace;
}

/** Where a session is, as far as an index distinguishes sessions. */
export type SessionAddressInIndex = Pick<LocatedSession, 'path' | 'sessionId' | 'storage'>;

/** Many sessions share the path of a database. */
export function partOf({ storage, sessionId }: SessionAddressInIndex): string {
  return storage === undefined ? '' : sessionId;
}

const FILE = `SELECT id, generation, size, mtime, position, hash FROM files WHERE path = ? AND part = ?`;

interface FileRow {
  readonly id: number;
  readonly generation: string;
  readonly size: number;
  readonly mtime: number;
  readonly position: number;
  readonly hash: string;
}

export function findFile(database: IndexDatabase, session: SessionAddressInIndex): IndexedFile | undefined {
  const row = database.prepare(FILE).get(session.path, partOf(session)) as unknown as FileRow | undefined;
  return row && toFile(row);
}

function toFile({ id, generation, size, mtime, position, hash }: FileRow): IndexedFile {
  return { id, generation, size, updatedAt: mtime, place: { generation, position, hash } };
}

/** Lines of a session that follow each other, and where they end. */
export interface SessionBatch {
  readonly session: SessionAddressInIndex;
  readonly traits: SessionTraits;
  readonly of: Pick<SessionsPlace, 'source' | 'root'>;
  /** What the index had when the lines were read; undefined for nothing. */
  readonly known: IndexedFile | undefined;
  /** The lines follow those that the index has. Otherwise they take their place. */
  readonly continues: boolean;
  readonly lines: readonly ExtractedLine[];
  readonly place: ReadPlace;
  readonly state: TranscriptState;
  readonly isEnd: boolean;
}

/**
 * Writes lines, and how far the session was read. To be called in a transaction. Undefined where another process has
 * written lines of the session since these were read: then read again from its place.
 */
export function writeBatch(database: IndexDatabase, batch: SessionBatch): IndexedFile | undefined {
  const now = findFile(database, batch.session);
  if (!isSamePlace(now, batch.known)) return undefined;
  if (now !== undefined && !batch.continues) deleteFile(database, now.id);
  const isNew = now === undefined || !batch.continues;
  const id = isNew ? insertFile(database, batch) : now.id;
  if (!isNew) moveOn(database, id, batch);
  if (isNew) insertSession(database, id, batch);
  insertLines(database, id, batch.lines);
  return { id, ...stateOf(batch), place: batch.place };
}

function isSamePlace(one: IndexedFile | undefined, other: IndexedFile | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.id === other.id && one.place.position === other.place.position;
}

/** As long as lines are left, the state is one that no file has, so that the next reader goes on. */
function stateOf({ isEnd, state }: SessionBatch): TranscriptState {
  return isEnd ? state : { ...state, size: -1 };
}

function insertFile(database: IndexDatabase, batch: SessionBatch): number {
  const { session, traits, of, place } = batch;
  const { size, updatedAt } = stateOf(batch);
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO files (kind, source, root, agent_id, session_key, path, part, mtime, size, generation, position, hash)
       VALUES ('transcript', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      of.source,
      of.root,
      traits.agentId,
      traits.sessionKey,
      session.path,
      partOf(session),
      updatedAt,
      size,
      place.generation,
      place.position,
      place.hash,
    );
  return Number(lastInsertRowid);
}

function moveOn(database: IndexDatabase, id: number, batch: SessionBatch): void {
  const { size, updatedAt } = stateOf(batch);
  database
    .prepare('UPDATE files SET mtime = ?, size = ?, generation = ?, position = ?, hash = ? WHERE id = ?')
    .run(updatedAt, size, batch.place.generation, batch.place.position, batch.place.hash, id);
}

function insertSession(database: IndexDatabase, id: number, { traits, state }: SessionBatch): void {
  database
    .prepare(
      `INSERT INTO sessions (id, session_id, agent_id, session_key, channel, label, title, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      traits.sessionId,
      traits.agentId,
      traits.sessionKey,
      traits.channel,
      traits.label,
      traits.title,
      state.updatedAt,
    );
}

function insertLines(database: IndexDatabase, session: number, lines: readonly ExtractedLine[]): void {
  if (lines.length === 0) return;
  const { turns } = database.prepare('SELECT turns FROM sessions WHERE id = ?').get(session) as {
    turns: number;
  };
  const message = database.prepare(
    'INSERT INTO messages (session, position, turn, speaker, at, entry_id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const said = database.prepare('INSERT INTO said (rowid, text) VALUES (?, ?)');
  const tools = database.prepare('INSERT INTO tools (rowid, text) VALUES (?, ?)');
  let turn = turns;
  let latest = 0;
  for (const line of lines) {
    if (line.speaker === 'user' && line.said !== '') turn++;
    if (line.at !== undefined && line.at > latest) latest = line.at;
    const { lastInsertRowid } = message.run(
      session,
      line.position,
      turn,
      line.speaker,
      line.at ?? null,
      line.entryId ?? null,
    );
    if (line.said !== '') said.run(lastInsertRowid, toSearchable(line.said));
    if (line.tools !== '') tools.run(lastInsertRowid, toSearchable(line.tools));
  }
  database
    .prepare('UPDATE sessions SET turns = ?, updated_at = max(updated_at, ?) WHERE id = ?')
    .run(turn, latest, session);
}

export function deleteFile(database: IndexDatabase, id: number): void {
  database.prepare('DELETE FROM files WHERE id = ?').run(id);
}

/** Where another process was faster, one of both rows is without a file, and goes with the next catch-up. */
export function moveFile(database: IndexDatabase, id: number, path: string): void {
  database.prepare('UPDATE OR IGNORE files SET path = ? WHERE id = ?').run(path, id);
}

/** A key that only the turn knew is kept: a store may be where no search looks. */
export function writeTraits(database: IndexDatabase, id: number, traits: SessionTraits): void {
  const { agentId, sessionKey, channel, label, title } = traits;
  database
    .prepare(
      `UPDATE sessions SET agent_id = ?, session_key = coalesce(?, session_key), channel = coalesce(?, channel),
         label = ?, title = ? WHERE id = ?`,
    )
    .run(agentId, sessionKey, channel, label, title, id);
  for (const [table, column] of [
    ['files', 'id'],
    ['chunks', 'file'],
  ]) {
    database
      .prepare(`UPDATE ${table} SET agent_id = ?, session_key = coalesce(?, session_key) WHERE ${column} = ?`)
      .run(agentId, sessionKey, id);
  }
}
