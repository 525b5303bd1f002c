import { openBotDatabase } from '../database/bot-database.ts';
import type { Letter } from './look-into-messages.ts';

// A letter that is retried has its time again, as if it were new.
const SQL = {
  retry:
    "UPDATE outbox SET state = 'waiting', at = 0, tries = 0, created_at = ? WHERE seq = ? AND state = 'dead'",
  // One that is being sent may be on its way already.
  drop: "DELETE FROM outbox WHERE ? > 0 AND seq = ? AND state IN ('dead', 'waiting')",
} as const;

/** Retries dead letters, or drops dead and waiting ones; what is in another state by now is left alone. Resolves with the ids of those that were changed. */
export async function changeLetters(
  stateDir: string,
  letters: readonly Pick<Letter, 'id'>[],
  change: keyof typeof SQL,
): Promise<readonly number[]> {
  if (letters.length === 0) return [];
  const database = await openBotDatabase(stateDir);
  try {
    const statement = database.prepare(SQL[change]);
    return await database.write(() =>
      letters.filter(({ id }) => statement.run(Date.now(), id).changes === 1).map(({ id }) => id),
    );
  } finally {
    await database.close();
  }
}
