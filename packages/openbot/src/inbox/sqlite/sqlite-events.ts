import type { BotDatabase } from '../../database/bot-database.ts';
import type { SystemEvent } from '../contract.ts';
import { MOST_EVENTS } from '../inbox-message.ts';

/** The events of the sessions. What changes them is to be run in a transaction. */
export function openEvents({ prepare }: BotDatabase): {
  /** Whether a turn would get any. */
  has(address: string, turnId: string): boolean;
  add(address: string, event: SystemEvent): void;
  take(address: string, turnId: string): readonly SystemEvent[];
  prune(before: number): void;
} {
  const sql = {
    any: prepare(
      `SELECT EXISTS (SELECT 1 FROM event WHERE session_key = ? AND turn_id IS NULL)
         OR EXISTS (SELECT 1 FROM event WHERE session_key = ? AND turn_id = ?) AS has`,
    ),
    newest: prepare(
      'SELECT text FROM event WHERE session_key = ? AND turn_id IS NULL ORDER BY seq DESC LIMIT 1',
    ),
    same: prepare('SELECT 1 FROM event WHERE session_key = ? AND at = ? AND text = ? LIMIT 1'),
    insert: prepare('INSERT INTO event (session_key, text, at) VALUES (?, ?, ?)'),
    limit: prepare(
      `DELETE FROM event WHERE seq IN (
         SELECT seq FROM event WHERE session_key = ? AND turn_id IS NULL ORDER BY seq DESC LIMIT -1 OFFSET ${MOST_EVENTS}
       )`,
    ),
    ofTurn: prepare('SELECT text, at FROM event WHERE session_key = ? AND turn_id = ? ORDER BY seq'),
    give: prepare('UPDATE event SET turn_id = ? WHERE session_key = ? AND turn_id IS NULL'),
    prune: prepare(
      `DELETE FROM event WHERE at < ? AND turn_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.turn_id = event.turn_id AND inbox.state = 'running')`,
    ),
  };
  const ofTurn = (address: string, turnId: string) =>
    sql.ofTurn.all(address, turnId).map(({ text, at }) => ({ text: String(text), at: Number(at) }));
  return {
    has: (address, turnId) => sql.any.get(address, address, turnId)?.has === 1,
    add: (address, { text, at }) => {
      if (sql.newest.get(address)?.text === text) return;
      if (sql.same.get(address, at, text) !== undefined) return;
      sql.insert.run(address, text, at);
      sql.limit.run(address);
    },
    take: (address, turnId) => {
      const given = ofTurn(address, turnId);
      if (given.length > 0) return given;
      sql.give.run(turnId, address);
      return ofTurn(address, turnId);
    },
    prune: (before) => {
      sql.prune.run(before);
    },
  };
}
