import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/openclaw-sqlite/', import.meta.url));
const SCHEMA = `${FIXTURES}agent-schema-23.sql`;

/** The database that OpenClaw wrote. Frozen: copy it before anything opens it for writing. */
export const FIXTURE_DATABASE = `${FIXTURES}openclaw-agent.sqlite`;

/** Tables first: the dump is in the order of names, and its triggers come before their tables. */
const ORDER = [
  'CREATE TABLE',
  'CREATE VIRTUAL TABLE',
  'CREATE INDEX',
  'CREATE UNIQUE INDEX',
  'CREATE TRIGGER',
];

/** The statements of the schema that one has to run; SQLite makes the rest of the dump by itself. */
export function readSchemaStatements(): string[] {
  const dumped = readFileSync(SCHEMA, 'utf8')
    .split(/;\n(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const fullText = dumped.flatMap(
    (statement) => /^CREATE VIRTUAL TABLE (\w+) USING fts5/.exec(statement)?.[1] ?? [],
  );
  const isMadeBySqlite = (statement: string) =>
    statement.startsWith('CREATE TABLE sqlite_') ||
    fullText.some((table) => statement.startsWith(`CREATE TABLE '${table}_`));
  const rank = (statement: string) => ORDER.findIndex((start) => statement.startsWith(`${start} `));
  return dumped
    .filter((statement) => !isMadeBySqlite(statement))
    .sort((left, right) => rank(left) - rank(right));
}

/** New databases by agent, as bytes: making the tables takes longer than most tests do with them. */
const images = new Map<string, Buffer>();

/**
 * Opens a new database with OpenClaw's schema and the rows that OpenClaw puts into every one. Nothing is synced and
 * there is no journal until `closeAgentDatabase`, so that a large one is made fast.
 */
export function openNewAgentDatabase(path: string, agentId = 'main'): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const image = images.get(agentId);
  if (image === undefined) {
    fillNewDatabase(path, agentId);
    images.set(agentId, readFileSync(path));
  } else writeFileSync(path, image, { flag: 'wx' });
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;');
  return database;
}

function fillNewDatabase(path: string, agentId: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
  database.exec('PRAGMA foreign_keys = ON; BEGIN;');
  for (const statement of readSchemaStatements()) database.exec(statement);
  database.exec('PRAGMA user_version = 23;');
  database
    .prepare(
      "INSERT INTO schema_meta VALUES ('primary', 'agent', 23, ?, '2026.9.6', 1794767344310, 1794767344310)",
    )
    .run(agentId);
  database.exec("INSERT INTO session_key_contract VALUES (1, 'main', NULL, 0)");
  database.exec('INSERT INTO memory_index_state VALUES (1, 0); COMMIT;');
  database.close();
}

/** Leaves the database as OpenClaw leaves it: in WAL mode, with everything in the main file. */
export function closeAgentDatabase(database: DatabaseSync): void {
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA journal_mode = WAL;');
  database.close();
}

/** Makes an empty database of an agent, as OpenClaw 2026.9.6 does at its first start. */
export function createAgentDatabase(path: string, agentId = 'main'): void {
  closeAgentDatabase(openNewAgentDatabase(path, agentId));
}

/** Makes what OpenClaw 2026.7.35 has under the same name: schema 1, for auth profiles and the memory index. */
export function createFileEraDatabase(path: string, agentId = 'main'): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL;');
  database.exec(readFileSync(`${FIXTURES}agent-schema-1.sql`, 'utf8'));
  database.exec('PRAGMA user_version = 1;');
  database
    .prepare(
      "INSERT INTO schema_meta VALUES ('primary', 'agent', 1, ?, '2026.7.35', 1794767344310, 1794767344310)",
    )
    .run(agentId);
  database.exec(`INSERT INTO auth_profile_store VALUES ('default', '{"profiles":{}}', 1794767344310)`);
  database.close();
}
