import { join } from 'node:path';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { type OpenclawDatabase, openDatabaseForWriting } from '../../src/openclaw-db/open-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { makeAgentDatabase, type SessionToMake } from './setup/make-database.ts';

/** A new database with these sessions, open for writing until the end of the test. */
export function openNewDatabase(sessions: Iterable<SessionToMake>): OpenclawDatabase {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  makeAgentDatabase(path, { sessions });
  const database = openDatabaseForWriting(path);
  afterTest(() => database.close());
  return database;
}
