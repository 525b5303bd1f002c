import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { createAgentDatabase, FIXTURE_DATABASE } from './setup/create-agent-database.ts';

function look(path: string) {
  // Immutable, so that nothing appears beside the frozen file.
  const database = new DatabaseSync(new URL(`file://${path}?immutable=1`), { readOnly: true });
  const pragmas = ['auto_vacuum', 'user_version', 'page_size', 'encoding'];
  const found = {
    schema: database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all(),
    pragmas: pragmas.map((name) => database.prepare(`PRAGMA ${name}`).get()),
    meta: database.prepare('SELECT role, schema_version, agent_id, app_version FROM schema_meta').all(),
    contract: database.prepare('SELECT * FROM session_key_contract').all(),
    memory: database.prepare('SELECT * FROM memory_index_state').all(),
  };
  database.close();
  return found;
}

test('an empty database is what OpenClaw makes: schema, settings and first rows', () => {
  const folder = makeTempFolder();
  const path = join(folder, 'agents/main/agent/openclaw-agent.sqlite');
  createAgentDatabase(path);
  expect(readdirSync(join(folder, 'agents/main/agent'))).toEqual(['openclaw-agent.sqlite']);
  expect(look(path)).toEqual(look(FIXTURE_DATABASE));
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  database.close();
});
