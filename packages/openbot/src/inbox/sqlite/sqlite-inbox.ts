import type { BotDatabase } from '../../database/bot-database.ts';
import { Listeners } from '../../listeners.ts';
import type { Inbox, InboxMessage, InboxState, MessageIdentity, MessageKind } from '../contract.ts';
import { isUntouched, isWaiting, noMessages, partsOf, toMessage } from '../inbox-message.ts';
import { type ContentRow, type MessageContent, MessageContents } from './message-contents.ts';
import { openEvents } from './sqlite-events.ts';

interface Row {
  seq: number;
  channel: string;
  account_id: string;
  conversation_id: string;
  message_id: string;
  agent_id: string;
  session_key: string;
  received_at: number;
  kind: MessageKind | null;
  state: InboxState['state'];
  turn_id: string | null;
  reason: string | null;
  tries: number;
  amended: number;
}

const WAITING = "state IN ('received', 'queued', 'running')";
const SAME_CONVERSATION = 'channel = ? AND account_id = ? AND conversation_id = ?';

const UNHEARD = "channel = ? AND account_id = ? AND session_key = ''";

/** Another process removed the message after its row was read. */
const PRUNED: ContentRow = { ctx: '{}', wish: null };

/** Closing it leaves the database open, which the outbox may share. */
export function openSqliteInbox(database: BotDatabase): Inbox {
  const { prepare, read, write, synced } = database;
  const sql = {
    insert: prepare(
      `INSERT INTO inbox (channel, account_id, conversation_id, message_id, agent_id, session_key, received_at, kind, state, turn_id, reason)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    decideKind: prepare('UPDATE inbox SET kind = ? WHERE seq = ? AND kind IS NULL'),
    get: prepare('SELECT * FROM inbox WHERE seq = ?'),
    amendContent: prepare('UPDATE inbox_content SET ctx = ? WHERE seq = ?'),
    amendKind: prepare('UPDATE inbox SET kind = ?, amended = amended + 1 WHERE seq = ?'),
    insertContent: prepare('INSERT INTO inbox_content (seq, ctx, wish) VALUES (?, ?, ?)'),
    content: prepare('SELECT ctx, wish FROM inbox_content WHERE seq = ?'),
    find: prepare(`SELECT * FROM inbox WHERE ${SAME_CONVERSATION} AND message_id = ?`),
    findInAccount: prepare(
      'SELECT * FROM inbox WHERE channel = ? AND account_id = ? AND message_id = ? ORDER BY seq',
    ),
    waiting: prepare(
      `SELECT * FROM inbox WHERE session_key = ? AND agent_id = ? AND ${WAITING} ORDER BY seq`,
    ),
    sessions: prepare(
      `SELECT agent_id AS agentId, session_key AS sessionKey, min(seq) AS firstSeq, count(*) AS count
       FROM inbox WHERE ${WAITING} GROUP BY session_key, agent_id ORDER BY firstSeq`,
    ),
    ofTurn: prepare('SELECT * FROM inbox WHERE turn_id = ? ORDER BY seq'),
    move: prepare(
      `UPDATE inbox SET state = ?, turn_id = ?, reason = ?, tries = tries + ? WHERE seq = ? AND ${WAITING}
       AND instr(coalesce(?, state), state) > 0`,
    ),
    recent: prepare(
      `SELECT * FROM inbox WHERE ${SAME_CONVERSATION} AND session_key = ? AND seq < ?
       ORDER BY seq DESC LIMIT ?`,
    ),
    counts: prepare('SELECT state, count(*) AS count FROM inbox GROUP BY state'),
    pruneUnheard: prepare(
      `DELETE FROM inbox WHERE ${UNHEARD} AND seq <= (
         SELECT seq FROM inbox WHERE ${UNHEARD} ORDER BY seq DESC LIMIT 1 OFFSET ?
       )`,
    ),
    prune: prepare(`DELETE FROM inbox WHERE received_at < ? AND NOT (${WAITING})`),
  };
  const events = openEvents(database);
  const listeners: Listeners = new Listeners('of the inbox', () =>
    database.onOtherCommit(() => listeners.call()),
  );
  const change = async <T>(run: () => T): Promise<T> => {
    const result = await write(run);
    listeners.call();
    return result;
  };
  const contents = new MessageContents();
  const toInboxMessage = (row: unknown): InboxMessage => {
    const { seq, amended } = row as Row;
    const read = () => (sql.content.get(seq) as ContentRow | undefined) ?? PRUNED;
    return fromRow(row as Row, contents.get(seq, amended, read));
  };
  const one = (row: unknown) => (row === undefined ? undefined : toInboxMessage(row));
  const all = (rows: readonly unknown[]) => rows.map((row) => toInboxMessage(row));

  return {
    accept: async (arrival, as = { state: 'received' }) => {
      const { identity, agentId, sessionKey, receivedAt } = arrival;
      const ctx = JSON.stringify(arrival.ctx);
      const wish = arrival.wish === undefined ? null : JSON.stringify(arrival.wish);
      const same = identityOf(identity);
      const { turnId, reason } = partsOf(as);
      return change(() => {
        const { changes, lastInsertRowid } = sql.insert.run(
          ...same,
          agentId,
          sessionKey,
          receivedAt,
          arrival.kind ?? null,
          as.state,
          turnId,
          reason,
        );
        if (changes === 0) return { row: sql.find.get(...same) };
        sql.insertContent.run(lastInsertRowid, ctx, wish);
        return { seq: Number(lastInsertRowid) };
        // Only now: a transaction that is taken back gives its numbers to other messages.
      }).then(({ row, seq }) => {
        if (seq === undefined) return { message: toInboxMessage(row), isNew: false };
        const content = contents.get(seq, 0, () => ({ ctx, wish }));
        const { kind } = arrival;
        const kept = {
          identity: { ...identity },
          agentId,
          sessionKey,
          ...content,
          ...(kind !== undefined && { kind }),
          receivedAt,
        };
        return { message: toMessage(kept, { seq, state: as.state, turnId, reason, tries: 0 }), isNew: true };
      });
    },
    decideKinds: (kinds) =>
      change(() => {
        for (const [seq, kind] of kinds) sql.decideKind.run(kind, seq);
      }),
    amend: async (identity, { ctx, kind }) => {
      const text = JSON.stringify(ctx);
      const row = await change(() => {
        const found = sql.find.get(...identityOf(identity)) as Row | undefined;
        if (found === undefined || !isUntouched(found)) return undefined;
        sql.amendContent.run(text, found.seq);
        sql.amendKind.run(kind ?? null, found.seq);
        return sql.get.get(found.seq) as unknown as Row;
      });
      return one(row);
    },
    get: (seq) => read(() => one(sql.get.get(seq))),
    find: async (identity) => {
      const found = await read(() => one(sql.find.get(...identityOf(identity))));
      // A network that repeats a message is told that it is kept.
      if (found !== undefined) await synced();
      return found;
    },
    findInAccount: ({ channel, accountId, messageId }) =>
      read(() => all(sql.findInAccount.all(channel, accountId, messageId))),
    waiting: ({ agentId, sessionKey }) => read(() => all(sql.waiting.all(sessionKey, agentId))),
    waitingSessions: () =>
      read(() =>
        sql.sessions.all().map((row) => ({
          agentId: String(row.agentId),
          sessionKey: String(row.sessionKey),
          firstSeq: Number(row.firstSeq),
          count: Number(row.count),
        })),
      ),
    ofTurn: (turnId) => read(() => all(sql.ofTurn.all(turnId))),
    move: (seqs, to, from) => {
      const { turnId, reason } = partsOf(to);
      const tries = to.state === 'running' ? 1 : 0;
      const states = from?.join(' ') ?? null;
      const moveOne = (seq: number) => sql.move.run(to.state, turnId, reason, tries, seq, states);
      if (!isWaiting(to)) contents.forget(seqs);
      return change(() => [...new Set(seqs)].filter((seq) => moveOne(seq).changes === 1));
    },
    recent: ({ channel, accountId, conversationId }, limit, among) => {
      const { sessionKey, beforeSeq = Number.MAX_SAFE_INTEGER } = among;
      const values = [channel, accountId, conversationId, sessionKey, beforeSeq, limit];
      return read(() => all(sql.recent.all(...values)).reverse());
    },
    counts: () =>
      read(() => {
        const counts = noMessages();
        for (const row of sql.counts.all()) counts[row.state as InboxState['state']] = Number(row.count);
        return counts;
      }),
    onChange: (listener) => listeners.add(listener),
    addEvent: (address, event) => change(() => events.add(address, event)),
    takeEvents: async (address, turnId) => {
      // Nearly every turn has none, and need not wait until no other process writes.
      if (!(await read(() => events.has(address, turnId)))) return [];
      return write(() => events.take(address, turnId));
    },
    prune: (before) =>
      write(() => {
        const { changes } = sql.prune.run(before);
        events.prune(before);
        return Number(changes);
      }),
    pruneUnheard: ({ channel, accountId }, keep) =>
      write(() => Number(sql.pruneUnheard.run(channel, accountId, channel, accountId, keep).changes)),
    close: async () => listeners.end(),
  };
}

function identityOf({ channel, accountId, conversationId, messageId }: MessageIdentity) {
  return [channel, accountId, conversationId, messageId] as const;
}

function fromRow(row: Row, content: MessageContent): InboxMessage {
  const { channel, account_id: accountId, conversation_id: conversationId, message_id: messageId } = row;
  const { seq, state, turn_id: turnId, reason, tries } = row;
  const arrival = {
    identity: { channel, accountId, conversationId, messageId },
    agentId: row.agent_id,
    sessionKey: row.session_key,
    ...content,
    ...(row.kind !== null && { kind: row.kind }),
    receivedAt: row.received_at,
  };
  return toMessage(arrival, { seq, state, turnId, reason, tries });
}
