import { afterTest } from '../../../../test/setup/cleaning.ts';
import { type BotDatabase, openBotDatabase } from '../../src/database/bot-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** A database that is closed after the test, in a new state folder unless one is given. */
export async function openDatabaseHere(stateDir = makeTempFolder()): Promise<BotDatabase> {
  const database = await openBotDatabase(stateDir);
  afterTest(() => database.close());
  return database;
}
