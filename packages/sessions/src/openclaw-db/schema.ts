import type { DatabaseSync } from 'node:sqlite';
import { OpenBotError } from '../errors.ts';

/** The version of OpenClaw's schema whose rules are known. */
export const KNOWN_SCHEMA_VERSION = 23;

export interface DatabaseSchema {
  /** `PRAGMA user_version`. */
  readonly version: number;
  /** `schema_version` in `schema_meta`; undefined where there is none. OpenClaw keeps the two equal. */
  readonly recordedVersion: number | undefined;
  /** Whether both versions are the known one. */
  readonly isKnown: boolean;
  /**
   * Whether there are tables of sessions, known or not. OpenClaw of the file era makes the same file without them, for auth
   * profiles and the memory index.
   */
  readonly hasSessionTables: boolean;
  has(table: string, column: string): boolean;
}

/** Tables and their columns. */
type Columns = Readonly<Record<string, readonly string[]>>;

/** Without these nothing can be read: entries, windows, lines. */
export const COLUMNS_READ: Columns = {
  session_nodes: ['session_key', 'current_session_id', 'entry_json', 'entry_valid', 'updated_at'],
  session_windows: ['session_id', 'session_key', 'updated_at', 'transcript_updated_at'],
  transcript_events: ['session_id', 'seq', 'event_json', 'event_zstd', 'event_utf8_bytes', 'created_at'],
  session_transcript_cold_archives: ['session_id'],
};

/** What the active path is read from. */
const COLUMNS_OF_ACTIVE_PATH: Columns = {
  session_transcript_active_events: ['session_id', 'active_position', 'event_seq'],
  session_transcript_index_state: ['session_id', 'indexed_seq', 'leaf_event_id', 'needs_rebuild'],
};

/** What a change of entries or lines touches. */
const COLUMNS_WRITTEN: Columns = {
  session_nodes: [
    ...COLUMNS_READ.session_nodes!,
    'status',
    'created_at',
    'created_via',
    'created_actor_type',
    'created_actor_id',
    'project_id',
    'parent_session_key',
    'spawned_by',
    'fork_source_session_key',
    'fork_source_session_id',
    'fork_source_entry_id',
    'label',
    'display_name',
    'category',
    'icon',
    'pinned_at',
    'archived_at',
    'last_read_at',
    'last_interaction_at',
    'last_activity_at',
  ],
  session_windows: [
    ...COLUMNS_READ.session_windows!,
    'previous_session_id',
    'reason',
    'session_scope',
    'created_at',
    'transcript_observed_at',
    'session_entry_provenance',
    'acp_owned',
    'plugin_owner_id',
    'hook_external_content_source',
    'started_at',
    'ended_at',
    'status',
    'chat_type',
    'channel',
    'account_id',
    'primary_conversation_id',
    'model_provider',
    'model',
    'agent_harness_id',
    'parent_session_key',
    'spawned_by',
    'display_name',
  ],
  transcript_events: [...COLUMNS_READ.transcript_events!, 'navigation_json'],
  transcript_event_identities: [
    'session_id',
    'event_id',
    'seq',
    'event_type',
    'parent_id',
    'message_idempotency_key',
    'created_at',
  ],
  session_transcript_active_events: [
    ...COLUMNS_OF_ACTIVE_PATH.session_transcript_active_events!,
    'message_position',
    'context_eligible',
  ],
  session_transcript_index_state: [
    ...COLUMNS_OF_ACTIVE_PATH.session_transcript_index_state!,
    'active_event_count',
    'active_message_count',
    'updated_at',
  ],
  session_transcript_fts_rows: ['id', 'session_id', 'message_id'],
  transcript_rewrite_watermarks: ['session_id', 'generation', 'updated_at'],
  session_transcript_cold_archives: COLUMNS_READ.session_transcript_cold_archives!,
};

/** How the names of OpenClaw's session tables begin, whatever the version. */
const SESSION_TABLES = ['session*', 'transcript*'] as const;

export function readSchema(db: DatabaseSync): DatabaseSchema {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  const columns = new Set<string>();
  const found = db.prepare(
    `SELECT t.name AS tableName, c.name AS columnName FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
     WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL %'`,
  );
  for (const { tableName, columnName } of found.all() as { tableName: string; columnName: string }[])
    columns.add(`${tableName}.${columnName}`);
  const has = (table: string, column: string) => columns.has(`${table}.${column}`);
  let recordedVersion: number | undefined;
  if (has('schema_meta', 'schema_version')) {
    const row = db.prepare('SELECT max(schema_version) AS recorded FROM schema_meta').get();
    if (typeof row?.recorded === 'number') recordedVersion = row.recorded;
  }
  const hasSessionTables =
    db
      .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND (name GLOB ? OR name GLOB ?)")
      .get(...SESSION_TABLES) !== undefined;
  const isKnown = version === KNOWN_SCHEMA_VERSION && recordedVersion === KNOWN_SCHEMA_VERSION;
  return { version, recordedVersion, isKnown, hasSessionTables, has };
}

/** Fails with DATABASE_WITHOUT_SESSIONS for a database in which no sessions are kept. */
export function assertSessionTables({
  path,
  schema,
}: {
  readonly path: string;
  readonly schema: DatabaseSchema;
}): void {
  if (schema.hasSessionTables) return;
  throw new OpenBotError(
    'DATABASE_WITHOUT_SESSIONS',
    `${path} has schema version ${describeVersion(schema)} and no tables of sessions`,
    { hint: 'OpenClaw up to 2026.7 keeps sessions in files. Check the path.' },
  );
}

/** Fails with DATABASE_UNSUPPORTED when one of the columns is missing, and names those that are. */
export function assertColumns(
  { path, schema }: { readonly path: string; readonly schema: DatabaseSchema },
  columns: Columns,
  doing: 'read' | 'write',
): void {
  const missing = Object.entries(columns).flatMap(([table, names]) =>
    names.filter((name) => !schema.has(table, name)).map((name) => `${table}.${name}`),
  );
  if (missing.length === 0) return;
  const shown =
    missing.length > 5
      ? `${missing.slice(0, 5).join(', ')} and ${missing.length - 5} more`
      : missing.join(', ');
  throw new OpenBotError(
    'DATABASE_UNSUPPORTED',
    `${path} has schema version ${describeVersion(schema)} and cannot be ${doing === 'read' ? 'read' : 'written'}: it lacks ${shown}`,
    {
      hint: `The known version is ${KNOWN_SCHEMA_VERSION}, of OpenClaw 2026.9. Check that it is OpenClaw's database.`,
    },
  );
}

/** Fails with DATABASE_UNSUPPORTED for a version whose rules are not known, unless the caller insists. */
export function assertWritable(
  database: { readonly path: string; readonly schema: DatabaseSchema },
  force: boolean,
): void {
  const { path, schema } = database;
  if (!schema.isKnown && !force) {
    throw new OpenBotError(
      'DATABASE_UNSUPPORTED',
      `${path} has schema version ${describeVersion(schema)}; only version ${KNOWN_SCHEMA_VERSION} is known well enough to be changed`,
      { hint: 'Nothing was changed. --force changes it anyway: copy the database first.' },
    );
  }
  assertColumns(database, COLUMNS_WRITTEN, 'write');
}

function describeVersion({ version, recordedVersion }: DatabaseSchema): string {
  if (recordedVersion === undefined || recordedVersion === version) return String(version);
  return `${version} (recorded as ${recordedVersion})`;
}
