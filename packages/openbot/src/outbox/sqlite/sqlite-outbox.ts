import type { BotDatabase } from '../../database/bot-database.ts';
import { Listeners } from '../../listeners.ts';
import type { Outbox, OutboxMessage, OutboxState } from '../contract.ts';
import {
  addProof,
  type CanonicalTarget,
  noMessages,
  type Progress,
  recipientOf,
  takeBack,
  toMessage,
} from '../outbox-message.ts';

interface Row {
  seq: number;
  key: string;
  agent_id: string;
  session_key: string;
  turn_id: string | null;
  channel: string;
  account_id: string;
  recipient: string;
  payload: string;
  created_at: number;
  state: OutboxState['state'];
  at: number;
  owner: string | null;
  ids: string | null;
  tries: number;
  may_be_repeat: number;
  is_marked: number;
  error: string | null;
}

const OPEN = "state IN ('waiting', 'sending')";
/** The first open message to each recipient: the others wait for it. */
const FIRST = `SELECT min(seq) FROM outbox WHERE channel = ? AND account_id = ? AND ${OPEN} GROUP BY recipient`;
const OWN = "key = ? AND owner = ? AND state = 'sending'";

/** Closing it leaves the database open, which the inbox may share. */
export function openSqliteOutbox(
  database: BotDatabase,
  canonical: CanonicalTarget = (target) => target,
): Outbox {
  const { prepare, read, write } = database;
  const sql = {
    insert: prepare(
      `INSERT INTO outbox (key, agent_id, session_key, turn_id, channel, account_id, recipient, payload, created_at, state, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    ),
    due: prepare(`SELECT seq FROM outbox WHERE seq IN (${FIRST}) AND at <= ? ORDER BY seq LIMIT ?`),
    claim: prepare(
      `UPDATE outbox SET may_be_repeat = may_be_repeat OR state = 'sending', state = 'sending', owner = ?, at = ?, tries = tries + 1
       WHERE seq = ? AND at <= ? AND ${OPEN} RETURNING *`,
    ),
    owners: prepare("SELECT DISTINCT owner FROM outbox WHERE state = 'sending'"),
    release: prepare("UPDATE outbox SET at = 0 WHERE state = 'sending' AND owner = ?"),
    sent: prepare(`UPDATE outbox SET state = 'sent', at = ?, ids = ?, error = ? WHERE ${OWN}`),
    addPart: prepare(
      `UPDATE outbox SET at = ?, is_marked = CASE WHEN ids IS NULL THEN ? ELSE is_marked END,
         ids = CASE WHEN EXISTS (SELECT 1 FROM json_each(ids) WHERE value = ?) THEN ids ELSE json_insert(coalesce(ids, '[]'), '$[#]', ?) END
       WHERE ${OWN}`,
    ),
    extend: prepare(`UPDATE outbox SET at = ? WHERE ${OWN}`),
    prove: prepare('UPDATE outbox SET state = ?, at = ?, ids = ?, error = ? WHERE seq = ?'),
    refuse: prepare(
      'UPDATE outbox SET state = ?, at = ?, error = ?, ids = ?, may_be_repeat = ? WHERE seq = ? RETURNING *',
    ),
    findSent: prepare(
      `SELECT * FROM outbox WHERE state = 'sent' AND channel = ? AND account_id = ?
       AND EXISTS (SELECT 1 FROM json_each(ids) WHERE value = ?) ORDER BY seq DESC LIMIT 1`,
    ),
    retry: prepare(
      `UPDATE outbox SET state = 'waiting', at = ?, error = ?, may_be_repeat = may_be_repeat OR ? WHERE ${OWN}`,
    ),
    dead: prepare(`UPDATE outbox SET state = 'dead', at = ?, error = ? WHERE ${OWN}`),
    nextDue: prepare(`SELECT min(at) AS at FROM outbox WHERE seq IN (${FIRST})`),
    accounts: prepare(
      `SELECT channel, account_id AS accountId, count(*) AS count FROM outbox WHERE ${OPEN} GROUP BY channel, account_id`,
    ),
    ofTurn: prepare('SELECT * FROM outbox WHERE turn_id = ? ORDER BY seq'),
    get: prepare('SELECT * FROM outbox WHERE key = ?'),
    listDead: prepare("SELECT * FROM outbox WHERE state = 'dead' ORDER BY at DESC, seq DESC LIMIT ?"),
    counts: prepare('SELECT state, count(*) AS count FROM outbox GROUP BY state'),
    prune: prepare('DELETE FROM outbox WHERE state = ? AND at < ?'),
    pruneIn: prepare("DELETE FROM outbox WHERE state = 'dead' AND channel = ? AND at < ?"),
  };
  const listeners: Listeners = new Listeners('of the outbox', () =>
    database.onOtherCommit(() => listeners.call()),
  );
  const change = async <T>(run: () => T): Promise<T> => {
    const result = await write(run);
    listeners.call();
    return result;
  };
  const all = (rows: readonly unknown[]) => rows.map((row) => toOutboxMessage(row as Row));

  return {
    put: async (messages) => {
      const rows = messages.map((message) => {
        const { key, agentId, sessionKey, turnId, target, payload, createdAt, isTold } = message;
        const { channel, accountId } = target;
        const recipient = recipientOf(canonical(target));
        const isWritten = recipientOf(target) === recipient;
        const { to, threadId } = target;
        const text = JSON.stringify(isWritten ? payload : { ...payload, target: { to, threadId } });
        const turn = turnId ?? null;
        const put = [key, agentId, sessionKey, turn, channel, accountId, recipient, text, createdAt] as const;
        return [...put, ...(isTold ? (['sent', createdAt] as const) : (['waiting', 0] as const))] as const;
      });
      if (rows.length === 0) return [];
      return change(() => rows.filter((row) => sql.insert.run(...row).changes === 1).map(([key]) => key));
    },
    claim: async ({ channel, accountId, owner, now, leaseMs, limit }) => {
      if (limit <= 0) return [];
      // Looking first: a worker that finds nothing to do has nothing to make durable.
      const listDue = (most: number) => sql.due.all(channel, accountId, now, most);
      const due = await read(() => listDue(limit));
      if (due.length === 0) return [];
      const claimOne = ({ seq = null }: (typeof due)[number]) =>
        all(sql.claim.all(owner, now + leaseMs, seq, now));
      return write(() => {
        // The first message to a recipient stays the first.
        const claimed = due.flatMap(claimOne);
        // Another process may have been faster.
        const missing = due.length - claimed.length;
        return missing === 0 ? claimed : [...claimed, ...listDue(missing).flatMap(claimOne)];
      });
    },
    release: async (isGone) => {
      const owners = await read(() => sql.owners.all().map(({ owner }) => String(owner)));
      const gone = owners.filter(isGone);
      if (gone.length === 0) return 0;
      return change(() => gone.reduce((sum, owner) => sum + Number(sql.release.run(owner).changes), 0));
    },
    sent: (key, owner, { at, ids, error = null }) =>
      change(() => sql.sent.run(at, JSON.stringify(ids), error, key, owner).changes === 1),
    addPart: (key, owner, { id, isMarked, until }) =>
      change(() => sql.addPart.run(until, isMarked ? 1 : 0, id, id, key, owner).changes === 1),
    extend: (key, owner, until) => change(() => sql.extend.run(until, key, owner).changes === 1),
    prove: (key, proof) =>
      change(() => {
        const row = sql.get.get(key) as Row | undefined;
        const added = row && addProof({ state: row.state, ids: readIds(row) }, proof);
        if (added === undefined) return false;
        const { ids, isWhole } = added;
        const [state, at] = isWhole ? (['sent', proof.at] as const) : ([row!.state, row!.at] as const);
        sql.prove.run(state, at, JSON.stringify(ids), isWhole ? null : row!.error, row!.seq);
        return true;
      }),
    refuse: (key, failure) =>
      change(() => {
        const row = sql.get.get(key) as Row | undefined;
        const left = row && takeBack(toProgress(row), failure);
        if (left === undefined) return undefined;
        const { state, at, error, ids, mayBeRepeat } = left;
        const kept = ids.length === 0 ? null : JSON.stringify(ids);
        return all(sql.refuse.all(state, at, error, kept, mayBeRepeat ? 1 : 0, row!.seq))[0];
      }),
    findSent: ({ channel, accountId }, id) => read(() => all(sql.findSent.all(channel, accountId, id))[0]),
    retry: (key, owner, { error, nextTryAt, mayHaveArrived }) =>
      change(() => sql.retry.run(nextTryAt, error, mayHaveArrived ? 1 : 0, key, owner).changes === 1),
    dead: (key, owner, { error, at }) => change(() => sql.dead.run(at, error, key, owner).changes === 1),
    nextDue: (channel, accountId) =>
      read(() => (sql.nextDue.get(channel, accountId)?.at as number | null) ?? undefined),
    waitingAccounts: () =>
      read(() =>
        sql.accounts.all().map(({ channel, accountId, count }) => ({
          channel: String(channel),
          accountId: String(accountId),
          count: Number(count),
        })),
      ),
    ofTurn: (turnId) => read(() => all(sql.ofTurn.all(turnId))),
    get: (key) => read(() => all(sql.get.all(key))[0]),
    listDead: (limit) => read(() => all(sql.listDead.all(limit))),
    counts: () =>
      read(() => {
        const counts = noMessages();
        for (const row of sql.counts.all()) counts[row.state as OutboxState['state']] = Number(row.count);
        return counts;
      }),
    onChange: (listener) => listeners.add(listener),
    prune: ({ sent, dead, deadIn = {} }) =>
      write(() => {
        const removed = [
          sql.prune.run('sent', sent),
          sql.prune.run('dead', dead),
          ...Object.entries(deadIn).map(([channel, before]) => sql.pruneIn.run(channel, before)),
        ];
        return removed.reduce((sum, { changes }) => sum + Number(changes), 0);
      }),
    close: async () => listeners.end(),
  };
}

function toOutboxMessage(row: Row): OutboxMessage {
  const { key, turn_id: turnId, channel, account_id: accountId } = row;
  const [to, threadId] = JSON.parse(row.recipient);
  const { target = { to, threadId }, ...payload } = JSON.parse(row.payload);
  const put = {
    key,
    agentId: row.agent_id,
    sessionKey: row.session_key,
    ...(turnId === null ? {} : { turnId }),
    target: {
      channel,
      accountId,
      to: target.to,
      ...(target.threadId === undefined ? {} : { threadId: target.threadId }),
    },
    payload,
    createdAt: row.created_at,
  };
  return toMessage(put, toProgress(row));
}

function toProgress(row: Row): Progress {
  const { seq, state, at, owner, tries, error } = row;
  const flags = { mayBeRepeat: row.may_be_repeat === 1, isMarked: row.is_marked === 1 };
  return { seq, state, at, owner, ids: readIds(row), tries, error, ...flags };
}

function readIds({ ids }: Row): readonly string[] {
  return ids === null ? [] : JSON.parse(ids);
}
