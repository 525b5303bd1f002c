import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type OpenclawDatabase, openDatabaseForWriting } from '../../src/openclaw-db/open-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { makeAgentDatabase, type SessionToMake } from './setup/make-database.ts';

const open: OpenclawDatabase[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

/** A new database with these sessions, open for writing until the end of the test. */
export function openNewDatabase(sessions: Iterable<SessionToMake>): OpenclawDatabase {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  makeAgentDatabase(path, { sessions });
  const database = openDatabaseForWriting(path);
  open.push(database);
  return database;
}
