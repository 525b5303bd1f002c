import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { readDatabaseQuietly } from '@openbot/sessions/openclaw-database';
import { DATABASE_NAME } from '../database/bot-database.ts';
import { describeFault } from '../database/database-faults.ts';
import type { OutboxState } from '../outbox/contract.ts';
import { noMessages } from '../outbox/outbox-message.ts';

/** Messages of one session that have no answer yet. */
export interface WaitingMessages {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly waiting: number;
  readonly running: number;
  /** Ms: of the oldest. */
  readonly since: number;
}

/** Messages to one account of a channel that are not sent yet. */
export interface UnsentMessages {
  readonly channel: string;
  readonly accountId: string;
  readonly count: number;
  /** Ms: of the oldest. */
  readonly since: number;
}

/** What was to be sent and was not. */
export interface Letter {
  readonly id: number;
  readonly state: OutboxState['state'];
  readonly agentId: string;
  readonly sessionKey: string;
  readonly channel: string;
  readonly accountId: string;
  readonly to: string;
  readonly threadId?: string | number;
  readonly text?: string;
  readonly mediaUrls: readonly string[];
  readonly error?: string;
  readonly tries: number;
  /** Ms: when it died, or is tried next. */
  readonly at: number;
  readonly createdAt: number;
}

export interface KeptMessages {
  readonly path: string;
  readonly waiting: readonly WaitingMessages[];
  /** Messages whose turn failed. */
  readonly failed: number;
  readonly outbox: Readonly<Record<OutboxState['state'], number>>;
  readonly unsent: readonly UnsentMessages[];
}

/**
 * The inbox and the outbox of a state folder, read so that nothing on disk changes. Undefined where there are none. Throws
 * INBOX_UNREADABLE.
 */
export function lookIntoMessages(stateDir: string): KeptMessages | undefined {
  return lookInto(stateDir, (db, path) => ({
    path,
    waiting: db.prepare(WAITING).all() as unknown as WaitingMessages[],
    failed: Number(db.prepare("SELECT count(*) AS count FROM inbox WHERE state = 'failed'").get()!.count),
    outbox: Object.assign(
      noMessages(),
      Object.fromEntries(
        db
          .prepare(COUNTS)
          .all()
          .map(({ state, count }) => [state, count]),
      ),
    ),
    unsent: db.prepare(UNSENT).all() as unknown as UnsentMessages[],
  }));
}

/** Dead letters, and with `all` also those that wait, newest first. */
export function lookIntoLetters(
  stateDir: string,
  { limit, all = false }: { readonly limit: number; readonly all?: boolean },
): readonly Letter[] {
  const states = all ? "state IN ('dead', 'waiting', 'sending')" : "state = 'dead'";
  const sql = `SELECT * FROM outbox WHERE ${states} ORDER BY seq DESC LIMIT ?`;
  return (
    lookInto(stateDir, (db) =>
      db
        .prepare(sql)
        .all(limit)
        .map((row) => toLetter(row as Row)),
    ) ?? []
  );
}

/** Where a message that was heard came from. */
export interface KeptSender {
  readonly channel: string;
  readonly senderId?: string;
  /** Of a group, or of the sender. */
  readonly from?: string;
  readonly threadId?: string;
}

/** Who wrote the newest messages. Strangers are left out: nobody should take one for a person whose id looks like theirs. */
export function lookIntoSenders(stateDir: string): readonly KeptSender[] {
  const rows = lookInto(stateDir, (db) => db.prepare(SENDERS).all()) ?? [];
  const read = (value: unknown) => (value === null ? undefined : String(value));
  return rows.map(({ channel, senderId, sender, threadId }) => ({
    channel: String(channel),
    senderId: read(senderId),
    from: read(sender),
    threadId: read(threadId),
  }));
}

const SENDERS = `
  SELECT DISTINCT channel, coalesce(ctx ->> 'SenderId', ctx ->> 'SenderE164') AS senderId, ctx ->> 'From' AS sender,
    ctx ->> 'MessageThreadId' AS threadId
  FROM (SELECT seq, channel FROM inbox WHERE session_key <> '' ORDER BY seq DESC LIMIT 20000)
  JOIN inbox_content USING (seq)`;
const WAITING = `
  SELECT agent_id AS agentId, session_key AS sessionKey, sum(state <> 'running') AS waiting,
    sum(state = 'running') AS running, min(received_at) AS since
  FROM inbox WHERE state IN ('received', 'queued', 'running') GROUP BY agent_id, session_key ORDER BY since`;
const COUNTS = 'SELECT state, count(*) AS count FROM outbox GROUP BY state';
const UNSENT = `
  SELECT channel, account_id AS accountId, count(*) AS count, min(created_at) AS since
  FROM outbox WHERE state IN ('waiting', 'sending') GROUP BY channel, account_id ORDER BY since`;

function lookInto<T>(stateDir: string, read: (db: DatabaseSync, path: string) => T): T | undefined {
  const path = join(stateDir, DATABASE_NAME);
  if (!existsSync(path)) return undefined;
  try {
    return readDatabaseQuietly(path, (db) => {
      // A process that was the first to open it may not have made its tables yet.
      const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'outbox'").get() === undefined;
      return isEmpty ? undefined : read(db, path);
    });
  } catch (error) {
    throw describeFault(path, (error as Error).cause ?? error, 'read');
  }
}

type Row = {
  seq: number;
  state: OutboxState['state'];
  agent_id: string;
  session_key: string;
  channel: string;
  account_id: string;
  recipient: string;
  payload: string;
  error: string | null;
  tries: number;
  at: number;
  created_at: number;
};

function toLetter(row: Row): Letter {
  const [recipient, thread] = JSON.parse(row.recipient) as [string, (string | number)?];
  const {
    target: { to, threadId } = { to: recipient, threadId: thread },
    text,
    mediaUrl,
    mediaUrls = [],
  } = JSON.parse(row.payload) as {
    target?: { to: string; threadId?: string | number };
    text?: string;
    mediaUrl?: string;
    mediaUrls?: string[];
  };
  return {
    id: row.seq,
    state: row.state,
    agentId: row.agent_id,
    sessionKey: row.session_key,
    channel: row.channel,
    accountId: row.account_id,
    to,
    threadId,
    text,
    mediaUrls: [...(mediaUrl === undefined ? [] : [mediaUrl]), ...mediaUrls],
    error: row.error ?? undefined,
    tries: row.tries,
    at: row.at,
    createdAt: row.created_at,
  };
}
