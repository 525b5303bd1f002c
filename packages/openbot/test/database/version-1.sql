-- The database of messages as the first version made it: what `.dump` gives, and its two settings.
PRAGMA journal_mode = WAL;
BEGIN TRANSACTION;
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- With its agent where the key names none: a|global.
  session_key TEXT NOT NULL,
  text TEXT NOT NULL,
  at REAL NOT NULL,
  -- The turn that it was given to.
  turn_id TEXT
) STRICT;
INSERT INTO "event" VALUES(1,'agent:main:main','something happened',5.0,NULL);
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
  -- Why it was dropped, or how it failed.
  reason TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  UNIQUE (channel, account_id, conversation_id, message_id)
) STRICT;
INSERT INTO "inbox" VALUES(1,'memory','default','ada','a','main','agent:main:main',1097.0,'answered','t1',NULL,1);
INSERT INTO "inbox" VALUES(2,'memory','default','ada','b','main','agent:main:main',1098.0,'running','t2',NULL,1);
INSERT INTO "inbox" VALUES(3,'memory','default','ada','c','main','agent:main:main',1099.0,'received',NULL,NULL,0);
INSERT INTO "inbox" VALUES(4,'memory','default','ada','d','main','agent:main:main',1100.0,'queued',NULL,NULL,0);
INSERT INTO "inbox" VALUES(5,'memory','default','ada','e','main','agent:main:main',1101.0,'dropped',NULL,'not addressed',0);
CREATE TABLE inbox_content (
  seq INTEGER PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
  ctx TEXT NOT NULL,
  wish TEXT
) STRICT;
INSERT INTO "inbox_content" VALUES(1,'{"RawBody":"an old question","From":"ada","To":"bot","SenderId":"ada","ChatType":"direct","Provider":"memory","OriginatingChannel":"memory","OriginatingTo":"ada","MessageSid":"a"}',NULL);
INSERT INTO "inbox_content" VALUES(2,'{"RawBody":"say the first","From":"ada","To":"bot","SenderId":"ada","ChatType":"direct","Provider":"memory","OriginatingChannel":"memory","OriginatingTo":"ada","MessageSid":"b"}',NULL);
INSERT INTO "inbox_content" VALUES(3,'{"RawBody":"/whoami","From":"ada","To":"bot","SenderId":"ada","ChatType":"direct","Provider":"memory","OriginatingChannel":"memory","OriginatingTo":"ada","MessageSid":"c"}',NULL);
INSERT INTO "inbox_content" VALUES(4,'{"RawBody":"say the last","From":"ada","To":"bot","SenderId":"ada","ChatType":"direct","Provider":"memory","OriginatingChannel":"memory","OriginatingTo":"ada","MessageSid":"d"}','{"timeoutMs":60000}');
INSERT INTO "inbox_content" VALUES(5,'{"RawBody":"not for the bot","From":"ada","To":"bot","SenderId":"ada","ChatType":"direct","Provider":"memory","OriginatingChannel":"memory","OriginatingTo":"ada","MessageSid":"e"}',NULL);
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  turn_id TEXT,
  channel TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- JSON: to and thread. Messages that agree in it keep their order.
  recipient TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at REAL NOT NULL,
  state TEXT NOT NULL,
  -- When it is tried next, when its sender is taken to have died, when it was sent, or when it died.
  at REAL NOT NULL,
  owner TEXT,
  ids TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  may_be_repeat INTEGER NOT NULL DEFAULT 0,
  error TEXT
) STRICT;
INSERT INTO "outbox" VALUES(1,'t1:0','main','agent:main:main','t1','elsewhere','default','["ada"]','{"text":"an old answer"}',1100.0,'waiting',0.0,NULL,NULL,0,0,NULL);
CREATE INDEX inbox_waiting ON inbox (session_key, seq) WHERE state IN ('received', 'queued', 'running');
CREATE INDEX inbox_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_conversation ON inbox (channel, account_id, conversation_id, session_key, seq);
CREATE INDEX event_of_session ON event (session_key, turn_id, seq);
CREATE INDEX outbox_open ON outbox (channel, account_id, recipient, seq) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_turn ON outbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX outbox_dead ON outbox (at) WHERE state = 'dead';
CREATE INDEX outbox_sent ON outbox (at) WHERE state = 'sent';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('inbox',5);
INSERT INTO "sqlite_sequence" VALUES('event',1);
INSERT INTO "sqlite_sequence" VALUES('outbox',1);
COMMIT;
PRAGMA user_version = 1;
