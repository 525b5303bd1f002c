import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileSessionStore } from '@openbot/sessions';
import { type BenchRow, fastest } from './measure.ts';
import { ENTRIES, keyOf, withStore } from './store-fixture.ts';

const READS = 1000;

export default function bench(): Promise<BenchRow[]> {
  return withStore(async (path) => {
    // Until then the store does not rely on the file's times.
    await sleep(100);
    const store = openFileSessionStore(path);
    await store.get(keyOf(0));
    const [many, parse] = await fastest(
      10,
      async () => {
        for (let read = 0; read < READS; read++) await store.get(keyOf((read * 37) % ENTRIES));
      },
      async () => JSON.parse(await readFile(path, 'utf8'))[keyOf(1)],
    );
    const one = many / READS;
    return [
      {
        name: 'cached read of one entry of 5,000, against reading and parsing the file',
        ours: `${(one * 1000).toFixed(1)} µs`,
        peer: `${parse.toFixed(1)} ms`,
        ratio: parse / one,
        limit: 100,
        better: 'higher',
      },
    ];
  });
}
