import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openOpenclawDatabaseStore } from '../../src/openclaw-db/database-store.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { describeStoreContract } from '../store/contract.ts';
import { createAgentDatabase } from './setup/create-agent-database.ts';

function makeDatabase(values: Record<string, unknown> = {}): string {
  const path = join(makeTempFolder(), 'agent', 'openclaw-agent.sqlite');
  createAgentDatabase(path);
  const db = new DatabaseSync(path);
  const insert = db.prepare(
    'INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at) VALUES (?, ?, ?, 1)',
  );
  for (const [key, value] of Object.entries(values)) {
    const { sessionId } = (value ?? {}) as { sessionId?: string };
    insert.run(key, sessionId ?? 'none', JSON.stringify(value));
  }
  db.close();
  return path;
}

describeStoreContract({
  name: 'OpenClaw database',
  open: () => openOpenclawDatabaseStore(makeDatabase()),
  openWith: (values) => openOpenclawDatabaseStore(makeDatabase(values)),
  unkeepable: { keys: ['\ud800'], because: 'SQLite keeps text as UTF-8, which has no half characters' },
  complete: (value, key) => ({ ...value, sessionId: `session of ${key}`, updatedAt: 1 }),
});
