/** The same work over proper-lockfile and write-file-atomic. */
import { readFile } from 'node:fs/promises';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { keyOf } from '../store-fixture.ts';

const [path = '', own = '1', times = '1'] = process.argv.slice(2);
const retries = { retries: 1_000_000, minTimeout: 25, maxTimeout: 25, factor: 1, randomize: false };

process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  for (let time = 0; time < Number(times); time++) {
    const release = await lockfile.lock(path, { retries, stale: 30_000 });
    const store = JSON.parse(await readFile(path, 'utf8'));
    for (const key of [keyOf(0), keyOf(Number(own))]) store[key].outputTokens += 1;
    await writeFileAtomic(path, JSON.stringify(store, null, 2));
    await release();
  }
  process.exit(0);
});
