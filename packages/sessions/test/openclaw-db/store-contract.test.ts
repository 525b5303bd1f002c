import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { openOpenclawDatabaseStore } from '../../src/openclaw-db/entries/database-store.ts';
import type { SessionStore } from '../../src/store/contract.ts';
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
    insert.run(within(key), sessionId ?? 'none', JSON.stringify(value));
  }
  db.close();
  return path;
}

const PREFIX = 'agent:main:';
const within = (key: string) => `${PREFIX}${key}`;
const without = (key: string) => key.slice(PREFIX.length);
const strip = <T extends { readonly key: string }>(sessions: readonly T[]) =>
  sessions.map((session) => ({ ...session, key: without(session.key) }));

/** The same store, in which a short key stands for one that OpenClaw could have made. */
function shortenKeys(store: SessionStore): SessionStore {
  return {
    get: (key) => store.get(within(key)),
    list: async () => strip(await store.list()),
    listUnreadable: async () => strip(await store.listUnreadable()),
    update: (key, change) => store.update(within(key), change),
    updateMany: (change) =>
      store.updateMany((draft) =>
        change({
          get: (key) => draft.get(within(key)),
          list: () => strip(draft.list()),
          set: (key, entry) => draft.set(within(key), entry),
          delete: (key) => draft.delete(within(key)),
        }),
      ),
    delete: (key) => store.delete(within(key)),
    watch: (listener, onError) =>
      store.watch(
        ({ updated, deleted }) => listener({ updated: updated.map(without), deleted: deleted.map(without) }),
        onError,
      ),
    close: () => store.close(),
  };
}

describeStoreContract({
  name: 'OpenClaw database',
  open: () => shortenKeys(openOpenclawDatabaseStore(makeDatabase())),
  openWith: (values) => shortenKeys(openOpenclawDatabaseStore(makeDatabase(values))),
  unkeepable: {
    keys: ['toString', ' ', '\u2028', '\ud800'],
    because: 'OpenClaw refuses a database with a key that is not lower case, trimmed and well-formed',
  },
  anyKey: fc.stringMatching(/^[a-z0-9:._-]{1,20}$/),
  complete: (value, key) => ({ ...value, sessionId: `session of ${key}`, updatedAt: 1 }),
});
