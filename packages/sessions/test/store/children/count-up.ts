/** Counts up in one entry, for ever or as often as it is told, and notes in a journal of its own each update that was finished. */
import { appendFileSync } from 'node:fs';
import type { SessionEntry } from '../../../src/entry/session-entry.ts';
import { openFileSessionStore } from '../../../src/store/file-store.ts';

const [path = '', key = '', journal = '', times = 'Infinity'] = process.argv.slice(2);
const store = openFileSessionStore(path);
// Ends with whoever started it.
process.stdin
  .resume()
  .once('end', () => process.exit(1))
  .unref();
console.log('started');
for (let time = 0; time < Number(times); time++) {
  const entry = await store.update(key, (present) => ({
    ...(present as SessionEntry),
    updatedAt: (present?.updatedAt ?? 0) + 1,
  }));
  appendFileSync(journal, `${entry?.updatedAt}\n`);
}
