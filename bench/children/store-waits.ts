/** Updates a store without a pause for some time, and prints how long each update took, in milliseconds. */
import { openFileSessionStore } from '@openbot/sessions';
import { keyOf } from '../store-fixture.ts';

const [path = '', own = '1', milliseconds = '1000'] = process.argv.slice(2);
const store = openFileSessionStore(path, { lock: { timeoutMs: 600_000 } });

process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  const waits: number[] = [];
  for (const until = performance.now() + Number(milliseconds); performance.now() < until; ) {
    const started = performance.now();
    await store.updateMany((draft) => {
      const entry = draft.get(keyOf(Number(own)))!;
      draft.set(keyOf(Number(own)), { ...entry, outputTokens: (entry.outputTokens ?? 0) + 1 });
    });
    waits.push(performance.now() - started);
  }
  process.stdout.write(JSON.stringify(waits), () => process.exit(0));
});
