/** Counts up in its own and in a common entry, each time it is told how often. */
import { openFileSessionStore, type SessionEntry } from '@openbot/sessions';
import { keyOf } from '../store-fixture.ts';

const [path = '', own = '1', times = '1'] = process.argv.slice(2);
const store = openFileSessionStore(path, { lock: { timeoutMs: 600_000 } });
const plusOne = (entry: Readonly<SessionEntry>) => ({
  ...entry,
  outputTokens: (entry.outputTokens ?? 0) + 1,
});

process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  for (let time = 0; time < Number(times); time++) {
    await store.updateMany((draft) => {
      for (const key of [keyOf(0), keyOf(Number(own))]) draft.set(key, plusOne(draft.get(key)!));
    });
  }
  process.exit(0);
});
