import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { openFileSessionStore } from '@openbot/sessions';
import { type BenchRow, fastest } from './measure.ts';
import { ENTRIES, keyOf, withStore } from './store-fixture.ts';

const ROUNDS = 25;

export default function bench(): Promise<BenchRow[]> {
  return withStore(async (path) => {
    const store = openFileSessionStore(path);
    const text = await readFile(path, 'utf8');
    let turn = 0;
    const updateOne = () =>
      store.update(keyOf((turn++ * 37) % ENTRIES), (entry) => ({ ...entry!, updatedAt: Date.now() }));
    const rewriteAll = async () => {
      const whole = JSON.parse(text);
      whole[keyOf(7)].updatedAt = Date.now();
      const handle = await open(`${path}.peer`, 'w');
      await handle.writeFile(JSON.stringify(whole, null, 2));
      await handle.sync();
      await handle.close();
    };
    await updateOne();
    const [warm, rewrite] = await fastest(ROUNDS, updateOne, rewriteAll);

    const updateAfterOthers = async () => {
      const started = performance.now();
      await updateOne();
      return performance.now() - started;
    };
    let cold = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const other = JSON.parse(await readFile(path, 'utf8'));
      other[keyOf((round * 61) % ENTRIES)].updatedAt = Date.now();
      await writeFile(`${path}.other`, JSON.stringify(other, null, 2));
      await rename(`${path}.other`, path);
      cold = Math.min(cold, await updateAfterOthers());
    }

    const row = (what: string, ours: number): BenchRow => ({
      name: `update of one entry of 5,000${what}, against JSON.parse + JSON.stringify + write + fsync`,
      ours: `${ours.toFixed(1)} ms`,
      peer: `${rewrite.toFixed(1)} ms`,
      ratio: ours / rewrite,
      limit: 2,
      better: 'lower',
    });
    return [row('', warm), row(' after another process wrote', cold)];
  });
}
