/** Adds one to a field of an entry, many times, through a store of its own. */
import type { SessionEntry } from '../../../src/entry/session-entry.ts';
import { openOpenclawDatabaseStore } from '../../../src/openclaw-db/entries/database-store.ts';

const [path = '', key = '', times = '0'] = process.argv.slice(2);
const store = openOpenclawDatabaseStore(path, { waitMs: 60_000 });
for (let i = 0; i < Number(times); i++) {
  await store.update(
    key,
    (entry) => ({ ...entry, compactionCount: (entry?.compactionCount ?? 0) + 1 }) as SessionEntry,
  );
}
