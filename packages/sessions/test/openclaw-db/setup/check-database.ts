import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { findEventFaults, readStoredEvents } from './check-events.ts';
import { findProjectionFaults } from './check-projection.ts';
import { isObject } from './reference-tree.ts';

/** Opened so that nothing is left beside the file that was not there. */
function openUntouched(path: string): DatabaseSync {
  const hasJournal = existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0;
  const url = pathToFileURL(path);
  if (!hasJournal) url.search = '?immutable=1';
  return new DatabaseSync(url, { readOnly: true });
}

function findStorageFaults(database: DatabaseSync): string[] {
  const broken = database.prepare('PRAGMA integrity_check').all();
  const dangling = database.prepare('PRAGMA foreign_key_check').all();
  return [
    ...broken
      .map((row) => `integrity_check: ${row.integrity_check}`)
      .filter((fault) => !fault.endsWith(': ok')),
    ...dangling.map(
      (row) => `foreign_key_check: row ${row.rowid} of ${row.table} names no row of ${row.parent}`,
    ),
  ];
}

function findEntryFaults(database: DatabaseSync): string[] {
  const faults: string[] = [];
  const nodes = database.prepare(
    `SELECT node.session_key AS key, current_session_id AS sessionId, entry_json AS json,
       node.updated_at AS updatedAt, win.session_key AS owner
     FROM session_nodes AS node LEFT JOIN session_windows AS win ON win.session_id = current_session_id`,
  );
  for (const { key, sessionId, json, updatedAt, owner } of nodes.all()) {
    if (owner !== key) faults.push(`entry ${key}: its session ${sessionId} belongs to ${owner ?? 'no key'}`);
    let entry: unknown;
    try {
      entry = JSON.parse(String(json));
    } catch {
      entry = undefined;
    }
    if (!isObject(entry)) faults.push(`entry ${key}: entry_json is no JSON object`);
    else if (Object.keys(entry).length > 0) {
      if (entry.sessionId !== sessionId) faults.push(`entry ${key}: current_session_id is not its sessionId`);
      if (entry.updatedAt !== updatedAt) faults.push(`entry ${key}: updated_at is not its updatedAt`);
    }
  }
  return faults;
}

/** Derived rows of sessions that have no events; foreign keys do not hold all of them. */
function findOrphanFaults(database: DatabaseSync): string[] {
  const tables = ['session_transcript_active_events', 'session_transcript_fts_rows'];
  const orphans = [...tables, 'session_transcript_index_state', 'transcript_event_identities'].flatMap(
    (table) =>
      database
        .prepare(
          `SELECT DISTINCT session_id AS id FROM ${table}
         WHERE session_id NOT IN (SELECT session_id FROM transcript_events)`,
        )
        .all()
        .map(({ id }) => `session ${id}: rows in ${table} and no events`),
  );
  const texts = database
    .prepare(
      'SELECT rowid AS id FROM session_transcript_fts WHERE rowid NOT IN (SELECT id FROM session_transcript_fts_rows)',
    )
    .all();
  return [
    ...orphans,
    ...texts.map(({ id }) => `session_transcript_fts: row ${id} has no session_transcript_fts_rows`),
  ];
}

function findGenerationFaults(database: DatabaseSync, sessionId: string): string[] {
  const row = database
    .prepare('SELECT generation FROM transcript_rewrite_watermarks WHERE session_id = ?')
    .get(sessionId);
  return /^[0-9a-f]{32}$/.test(String(row?.generation)) ? [] : ['its generation is not 32 hex digits'];
}

/**
 * Everything in which a database differs from one that OpenClaw would have written: broken storage, dangling
 * references, identities that do not say what the events say, and derived rows that a rebuild would not give. Changes
 * nothing, and leaves no file behind.
 */
export function findDatabaseFaults(path: string): string[] {
  const database = openUntouched(path);
  try {
    const faults = [
      ...findStorageFaults(database),
      ...findEntryFaults(database),
      ...findOrphanFaults(database),
    ];
    const sessions = database.prepare('SELECT DISTINCT session_id AS id FROM transcript_events').all();
    for (const { id } of sessions) {
      const sessionId = String(id);
      const { events, faults: unreadable } = readStoredEvents(database, sessionId);
      const found = [
        ...unreadable,
        ...findEventFaults(database, sessionId, events),
        ...(unreadable.length > 0 ? [] : findProjectionFaults(database, sessionId, events)),
        ...findGenerationFaults(database, sessionId),
      ];
      faults.push(...found.map((fault) => `session ${sessionId}: ${fault}`));
    }
    return faults;
  } finally {
    database.close();
  }
}
