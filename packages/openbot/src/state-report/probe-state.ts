import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readDatabaseQuietly } from '@openbot/sessions/openclaw-database';
import { DATABASE_NAME } from '../database/bot-database.ts';
import { isDamaged } from '../database/database-faults.ts';
import { INDEX_NAME } from '../index-db/index-database.ts';
import type { StatusReport } from './contract.ts';

/** Reads every page of the databases of a state folder, until the time is over. Changes nothing. */
export async function probeState(stateDir: string, timeoutMs: number): Promise<StatusReport['faults']> {
  const until = performance.now() + timeoutMs;
  return [DATABASE_NAME, INDEX_NAME].flatMap((name) => {
    const path = join(stateDir, name);
    if (!existsSync(path) || performance.now() > until) return [];
    const wrong = checkDatabase(path);
    return wrong === undefined
      ? []
      : [
          {
            part: name,
            code: wrong.isDamaged ? 'DATABASE_DAMAGED' : 'DATABASE_UNREADABLE',
            message: `${path} ${wrong.says}`,
          },
        ];
  });
}

/** What is wrong with a database, as what follows its name; undefined where it is sound. */
export function checkDatabase(
  path: string,
): { readonly isDamaged: boolean; readonly says: string } | undefined {
  try {
    const found = readDatabaseQuietly(path, (db) => db.prepare('PRAGMA quick_check(1)').get()?.quick_check);
    return found === 'ok' ? undefined : { isDamaged: true, says: `is damaged: ${found}` };
  } catch (error) {
    const { cause = error } = error as Error;
    const isBroken = isDamaged(cause);
    // One that is locked, or that may not be read, can be sound.
    const what = isBroken ? 'is damaged' : 'cannot be looked at';
    return { isDamaged: isBroken, says: `${what}: ${(cause as Error).message}` };
  }
}
