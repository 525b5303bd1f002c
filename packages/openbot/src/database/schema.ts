import type { DatabaseSync } from 'node:sqlite';
import { OpenBotError } from '@openbot/sessions';
import { unreadable } from './database-faults.ts';

const VERSION = 3;

/**
 * A checkpoint waits for the disk, and nothing else of the process goes on meanwhile. The same few pages change with each message,
 * so that a longer log is written less often and is hardly more work. 32 MB.
 */
const CHECKPOINT_PAGES = 8000;

/** Sets the connection up, and makes the tables of a new database, or adds what an older one has not. Nothing of a newer or foreign one is changed. */
export function prepareSchema(db: DatabaseSync, path: string): void {
  if (readVersion(db, path) === 0) {
    // Cannot be changed inside a transaction. It stays with the file.
    db.exec('PRAGMA journal_mode = WAL');
  }
  db.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON');
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  if (readVersion(db, path) === VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    const version = readVersion(db, path);
    if (version === 0) db.exec(TABLES);
    else if (version < 2) db.exec(ADD_KIND);
    if (version > 0 && version < 3) db.exec(ADD_CHANGES);
    if (version < 3) db.exec(NOTES);
    db.exec(`PRAGMA user_version = ${VERSION}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function readVersion(db: DatabaseSync, path: string): number {
  // In this order: another process may make the tables in between, and they come with their version.
  const hasTables = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
  const version = db.prepare('PRAGMA user_version').get()?.user_version as number;
  if (version > VERSION) {
    throw new OpenBotError(
      'INBOX_TOO_NEW',
      `${path} has version ${version}; this openbot knows versions up to ${VERSION}`,
      { hint: 'Nothing was changed. A newer openbot made it: update this one.' },
    );
  }
  if (version === 0 && hasTables) throw unreadable(path, 'another program made it');
  return version;
}

const ADD_KIND = 'ALTER TABLE inbox ADD COLUMN kind TEXT';
const ADD_CHANGES = `
ALTER TABLE inbox ADD COLUMN amended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN is_marked INTEGER NOT NULL DEFAULT 0;
`;

const NOTES = `
CREATE TABLE note (
  channel TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (channel, account_id, name)
) STRICT, WITHOUT ROWID;
`;

// Times are REAL: a fraction of a millisecond is no reason to refuse a message.
const TABLES = `
CREATE TABLE inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  account_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  received_at REAL NOT NULL,
  state TEXT NOT NULL,
  turn_id TEXT,
  -- Why it was dropped, how it failed, or what ended its run.
  reason TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  -- What it asked of the queue when it arrived. NULL until it is decided.
  kind TEXT,
  -- How often its text was replaced.
  amended INTEGER NOT NULL DEFAULT 0,
  UNIQUE (channel, account_id, conversation_id, message_id)
) STRICT;
-- Apart from the states, which change several times: SQLite would write a long message again with each of them.
CREATE TABLE inbox_content (
  seq INTEGER PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
  ctx TEXT NOT NULL,
  wish TEXT
) STRICT;
CREATE INDEX inbox_waiting ON inbox (session_key, seq) WHERE state IN ('received', 'queued', 'running');
CREATE INDEX inbox_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_conversation ON inbox (channel, account_id, conversation_id, session_key, seq);

CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- With its agent where the key names none: a|global.
  session_key TEXT NOT NULL,
  text TEXT NOT NULL,
  at REAL NOT NULL,
  -- The turn that it was given to.
  turn_id TEXT
) STRICT;
CREATE INDEX event_of_session ON event (session_key, turn_id, seq);

CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  turn_id TEXT,
  channel TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- JSON: to and thread, in one spelling. Messages that agree in it keep their order.
  recipient TEXT NOT NULL,
  -- JSON. With the target where that is written in another way than the recipient.
  payload TEXT NOT NULL,
  created_at REAL NOT NULL,
  state TEXT NOT NULL,
  -- When it is tried next, when its sender is taken to have died, when it was sent, or when it died.
  at REAL NOT NULL,
  owner TEXT,
  -- JSON: those that the network gave. Of a message that is not sent yet, those of its first parts.
  ids TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  may_be_repeat INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  -- Its first part went out with the mark of a possible repeat.
  is_marked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX outbox_open ON outbox (channel, account_id, recipient, seq) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_turn ON outbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX outbox_dead ON outbox (at) WHERE state = 'dead';
CREATE INDEX outbox_sent ON outbox (at) WHERE state = 'sent';
`;
