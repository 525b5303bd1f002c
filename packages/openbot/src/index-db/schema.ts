/** Another number makes every index that exists be built anew. */
export const VERSION = 2;

/**
 * What was said, as words. Letters lose their accents and their case. Text of scripts that are written without spaces is
 * split into its characters before it comes here (`searchable-text.ts`).
 */
const WORDS = `fts5(text, tokenize = "unicode61 remove_diacritics 2")`;

/**
 * `files` is what was read, up to which place; all else goes with its file. A transcript has one row in `sessions`, of the
 * same id. Times are milliseconds.
 */
export const TABLES = `
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  -- transcript or memory
  kind TEXT NOT NULL,
  -- The program that it is of: openbot, openclaw, pi, claude
  source TEXT NOT NULL,
  -- The state folder, or the folder with all sessions of that program
  root TEXT NOT NULL,
  agent_id TEXT,
  session_key TEXT,
  -- Absolute; of a session in a database the path of that database, and its session id
  path TEXT NOT NULL,
  part TEXT NOT NULL DEFAULT '',
  mtime REAL NOT NULL,
  size INTEGER NOT NULL,
  -- Another one when what was there has been replaced
  generation TEXT NOT NULL,
  -- Behind the last line that was read, and a hash of what is before it
  position INTEGER NOT NULL,
  hash TEXT NOT NULL,
  -- The messages up to this id are in chunks
  chunked_to INTEGER NOT NULL DEFAULT 0,
  UNIQUE (path, part)
) STRICT;
CREATE INDEX files_of_root ON files (root, kind);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  agent_id TEXT,
  session_key TEXT,
  channel TEXT,
  label TEXT,
  title TEXT,
  updated_at REAL NOT NULL,
  -- Persons' messages so far
  turns INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_of_key ON sessions (session_key);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  -- Where its line begins: a byte of the file, or the number of the row
  position INTEGER NOT NULL,
  -- Counts the messages of people, from 1; 0 before the first
  turn INTEGER NOT NULL,
  -- user, assistant, tool, system, summary
  speaker TEXT NOT NULL,
  at REAL,
  entry_id TEXT
) STRICT;
CREATE INDEX messages_of_session ON messages (session, id);

-- Both by the id of the message. A message may be in one or in both.
CREATE VIRTUAL TABLE said USING ${WORDS};
CREATE VIRTUAL TABLE tools USING ${WORDS};
CREATE TRIGGER message_gone AFTER DELETE ON messages BEGIN
  DELETE FROM said WHERE rowid = old.id;
  DELETE FROM tools WHERE rowid = old.id;
END;

-- Pieces of memory files and conversations, for embeddings.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  agent_id TEXT,
  session_key TEXT,
  -- Lines of a memory file, or ids of messages
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  hash TEXT NOT NULL,
  heading TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_of_file ON chunks (file, first);
CREATE INDEX chunks_of_hash ON chunks (file, hash);
CREATE VIRTUAL TABLE chunk_words USING ${WORDS};
-- As the scalar functions of sqlite-vec take them: 32-bit floats. An ordinary table, so that a process without sqlite-vec
-- can still remove what is gone.
CREATE TABLE vectors (
  -- Of the chunks of this file with this hash. A rebuild has them before there are chunks again
  file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  hash TEXT NOT NULL,
  -- What made it, where from, and how long it is: vectors of two are not comparable
  model TEXT NOT NULL,
  embedding BLOB NOT NULL,
  UNIQUE (file, hash, model)
) STRICT;
CREATE TRIGGER chunk_gone AFTER DELETE ON chunks BEGIN
  DELETE FROM chunk_words WHERE rowid = old.id;
  DELETE FROM vectors WHERE file = old.file AND hash = old.hash
    AND NOT EXISTS (SELECT 1 FROM chunks WHERE file = old.file AND hash = old.hash);
END;
`;
