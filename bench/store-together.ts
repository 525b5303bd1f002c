/** Changes of a store of 1,000 entries, as turns make them: one by one, and of 50 sessions that talk at once. */
import { readFile } from 'node:fs/promises';
import { openFileSessionStore } from '@openbot/sessions';
import { writeAtomic } from './bare-write.ts';
import { type BenchRow, percentile, timesOf } from './measure.ts';
import { keyOf, withStore } from './store-fixture.ts';

const ENTRIES = 1000;
const RUNS = 200;
const SESSIONS = 50;
const CHANGES_EACH = 4;

export default function bench(): Promise<BenchRow[]> {
  return withStore(async (path) => {
    const store = openFileSessionStore(path);
    const bytes = await readFile(path);
    const update = (index: number) =>
      store.update(keyOf(index % ENTRIES), (entry) => ({ ...entry!, updatedAt: Date.now() }));
    const writeBare = () => writeAtomic(`${path}.bare`, bytes);

    await update(0);
    await writeBare();
    const lone: number[] = [];
    const bare: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      lone.push(...(await timesOf(1, () => update(run * 37))));
      bare.push(...(await timesOf(1, writeBare)));
    }
    const median = (times: readonly number[]) =>
      percentile(
        times.toSorted((a, b) => a - b),
        0.5,
      );

    const together = await timesOf(5, () =>
      Promise.all(
        Array.from({ length: SESSIONS }, async (_, session) => {
          for (let change = 0; change < CHANGES_EACH; change++) await update(session * 17);
        }),
      ),
    );
    const inTurn = median(bare) * SESSIONS * CHANGES_EACH;
    return [
      {
        name: 'update of one entry of 1,000, against an atomic write of the same bytes',
        ours: `p50 ${median(lone).toFixed(2)} ms`,
        peer: `${median(bare).toFixed(2)} ms`,
        ratio: median(lone) / median(bare),
        limit: 1.15,
        better: 'lower',
      },
      {
        name: `${SESSIONS} sessions update at once, ${CHANGES_EACH} times each, against as many atomic writes`,
        ours: `${percentile(together, 0.5).toFixed(0)} ms`,
        peer: `${inTurn.toFixed(0)} ms`,
        ratio: percentile(together, 0.5) / inTurn,
        limit: 0.2,
        better: 'lower',
      },
    ];
  }, ENTRIES);
}
