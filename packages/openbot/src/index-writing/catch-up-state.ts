import type { Environment } from '@openbot/sessions/layout';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { catchUp } from './catch-up.ts';
import { SMALL_BATCH_BYTES } from './index-session.ts';
import { placeOfState } from './session-source.ts';

/** Reads what is new of a state folder. Loaded late: with it comes everything that finds sessions. */
export async function catchUpState(
  database: IndexDatabase,
  stateDir: string,
  env: Environment,
  signal?: AbortSignal,
): Promise<void> {
  const place = placeOfState(stateDir, { env, cwd: stateDir });
  await catchUp(database, place, { batchBytes: SMALL_BATCH_BYTES, signal });
}
