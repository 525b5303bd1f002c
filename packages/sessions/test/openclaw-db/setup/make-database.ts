import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { closeAgentDatabase, openNewAgentDatabase } from './create-agent-database.ts';
import { type Compression, encodeEvent } from './encode-event.ts';
import { projectSession, type StoredEvent } from './reference-projection.ts';
import { isObject, type Json } from './reference-tree.ts';

export interface SessionToMake {
  readonly key: string;
  /** The id of the header where there is one, else one made from the key and the number of the session. */
  readonly sessionId?: string;
  /** Fields of the SessionEntry, over those that every entry has. */
  readonly entry?: Json;
  /** In their order; a string is stored as it is. Read once, so a generator of any length will do. */
  readonly events: Iterable<object | string>;
  /** True, as OpenClaw does, where it pays; a function compresses what it names wherever the schema allows. */
  readonly compress?: boolean | ((event: unknown, index: number) => boolean);
  /** The time of events that have none of their own. */
  readonly createdAt?: number;
}

export interface MadeSession {
  readonly key: string;
  readonly sessionId: string;
}

const START = 1_794_767_344_000;

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const readText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

function uuidOf(text: string): string {
  const digits = hash(text);
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
  ];
  return [...parts, digits.slice(20, 32)].join('-');
}

function readTime(event: unknown): number | undefined {
  const value = isObject(event) ? event.timestamp : undefined;
  const time = typeof value === 'string' ? Date.parse(value) : value;
  // The column takes whole numbers only.
  return Number.isSafeInteger(time) ? (time as number) : undefined;
}

function chooseCompression({ compress = true }: SessionToMake, event: unknown, index: number): Compression {
  if (typeof compress === 'function') return compress(event, index) ? 'always' : 'never';
  return compress ? 'where-it-pays' : 'never';
}

function prepareStatements(database: DatabaseSync) {
  return {
    addNode: database.prepare(
      `INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, status, label,
         display_name, last_interaction_at, last_activity_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_key) DO UPDATE SET current_session_id = excluded.current_session_id,
         entry_json = excluded.entry_json, updated_at = excluded.updated_at, status = excluded.status,
         label = excluded.label, display_name = excluded.display_name,
         last_interaction_at = excluded.last_interaction_at, last_activity_at = excluded.last_activity_at`,
    ),
    markValid: database.prepare('UPDATE session_nodes SET entry_valid = 1 WHERE session_key = ?'),
    markChecked: database.prepare('DELETE FROM session_canonical_validation_pending WHERE session_key = ?'),
    addWindow: database.prepare(
      `INSERT INTO session_windows (session_id, session_key, created_at, updated_at, transcript_updated_at,
         transcript_observed_at, session_entry_provenance, model_provider, model, agent_harness_id)
       VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, 'openclaw')`,
    ),
    setTimes: database.prepare(
      `UPDATE session_windows SET updated_at = ?, transcript_updated_at = ?, transcript_observed_at = ?
       WHERE session_id = ?`,
    ),
    addEvent: database.prepare(
      `INSERT INTO transcript_events (session_id, seq, event_json, event_zstd, event_utf8_bytes, navigation_json,
         created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    addIdentity: database.prepare('INSERT INTO transcript_event_identities VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addActive: database.prepare('INSERT INTO session_transcript_active_events VALUES (?, ?, ?, ?, ?)'),
    addState: database.prepare('INSERT INTO session_transcript_index_state VALUES (?, ?, ?, 0, ?, ?, ?)'),
    addSearchRow: database.prepare(
      'INSERT INTO session_transcript_fts_rows (session_id, message_id) VALUES (?, ?)',
    ),
    addSearchText: database.prepare(
      `INSERT INTO session_transcript_fts (rowid, text, session_id, message_id, role, timestamp)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    addGeneration: database.prepare('INSERT INTO transcript_rewrite_watermarks VALUES (?, ?, ?)'),
  };
}

/** Writes sessions into an open database, as OpenClaw would; the caller owns the transaction. */
export function addSessions(database: DatabaseSync, sessions: Iterable<SessionToMake>): MadeSession[] {
  const statements = prepareStatements(database);
  const made: MadeSession[] = [];
  for (const session of sessions) made.push(addSession(statements, session, made.length));
  return made;
}

function addSession(
  statements: ReturnType<typeof prepareStatements>,
  session: SessionToMake,
  number: number,
): MadeSession {
  const { key } = session;
  const iterator = session.events[Symbol.iterator]();
  let next = iterator.next();
  const header = next.done || typeof next.value === 'string' ? undefined : (next.value as Json);
  const headerId = header?.type === 'session' ? readText(header.id) : null;
  const sessionId = session.sessionId ?? headerId ?? uuidOf(`${key} ${number}`);
  const started = session.createdAt ?? readTime(header) ?? START;

  const entry: Json = {
    ...{ sessionId, updatedAt: started, sessionStartedAt: started, delivery: { kind: 'none' } },
    ...{ lastInteractionAt: started, model: 'mock-1', modelProvider: 'mock', abortedLastRun: false },
    ...{ lastActivityAt: started, contextTokens: 128_000, agentHarnessId: 'openclaw' },
    ...session.entry,
  };
  function putNode(updatedAt: number): void {
    const { status, label, displayName, lastInteractionAt, lastActivityAt } = entry;
    statements.addNode.run(
      ...[key, sessionId, JSON.stringify(entry), updatedAt, readText(status), readText(label)],
      ...[readText(displayName), isTime(lastInteractionAt) ? lastInteractionAt : null],
      isTime(lastActivityAt) ? lastActivityAt : null,
    );
  }
  putNode(started);
  const [provider, model] = [readText(entry.modelProvider), readText(entry.model)];
  statements.addWindow.run(sessionId, key, started, started, started, started, provider, model);

  const seen = new Set<string>();
  let last = started;
  function* store(): Generator<StoredEvent> {
    for (let seq = 0; !next.done; next = iterator.next(), seq++) {
      const given = next.value;
      const json = typeof given === 'string' ? given : JSON.stringify(given);
      const event: unknown = JSON.parse(json);
      const createdAt = readTime(event) ?? session.createdAt ?? started;
      const encoded = encodeEvent(json, event, chooseCompression(session, event, seq));
      const columns = [encoded.json, encoded.zstd, encoded.bytes, encoded.navigation];
      statements.addEvent.run(sessionId, seq, ...columns, createdAt);
      putIdentity(event, seq, createdAt);
      last = Math.max(last, createdAt);
      yield { seq, json, createdAt };
    }
  }
  /** The first event with an id or an idempotency key owns it. */
  function putIdentity(event: unknown, seq: number, createdAt: number): void {
    const id = isObject(event) ? readText(event.id) : null;
    if (!isObject(event) || id === null || seen.has(`id ${id}`)) return;
    seen.add(`id ${id}`);
    const asked = isObject(event.message) ? readText(event.message.idempotencyKey) : null;
    const idempotencyKey = seen.has(`key ${asked}`) ? null : asked;
    seen.add(`key ${asked}`);
    const type = typeof event.type === 'string' ? event.type : null;
    const parent = typeof event.parentId === 'string' ? event.parentId : null;
    statements.addIdentity.run(sessionId, id, seq, type, parent, idempotencyKey, createdAt);
  }

  const projection = projectSession(store());
  if (projection !== undefined) {
    for (const row of projection.activeRows) {
      const { activePosition, eventSeq, messagePosition, contextEligible } = row;
      statements.addActive.run(sessionId, activePosition, eventSeq, messagePosition, contextEligible);
    }
    for (const { messageId, role, text, timestamp } of projection.searchRows) {
      const { lastInsertRowid } = statements.addSearchRow.run(sessionId, messageId);
      statements.addSearchText.run(lastInsertRowid, text, sessionId, messageId, role, timestamp);
    }
    const { indexedSeq, leafEventId, activeEventCount, activeMessageCount } = projection;
    statements.addState.run(sessionId, indexedSeq, leafEventId, activeEventCount, activeMessageCount, last);
    statements.addGeneration.run(sessionId, hash(sessionId).slice(0, 32), started);
  }
  for (const field of ['updatedAt', 'lastInteractionAt', 'lastActivityAt']) {
    if (session.entry?.[field] === undefined) entry[field] = last;
  }
  putNode(isTime(entry.updatedAt) ? entry.updatedAt : last);
  statements.setTimes.run(last, last, last, sessionId);
  statements.markValid.run(key);
  statements.markChecked.run(key);
  return { key, sessionId };
}

/**
 * Makes a database of an agent with these sessions, complete in the main file. Of several sessions with one key the last
 * is the current one.
 */
export function makeAgentDatabase(
  path: string,
  options: { readonly sessions: Iterable<SessionToMake>; readonly agentId?: string },
): MadeSession[] {
  const database = openNewAgentDatabase(path, options.agentId);
  database.exec('BEGIN');
  const made = addSessions(database, options.sessions);
  database.exec('COMMIT');
  closeAgentDatabase(database);
  return made;
}
