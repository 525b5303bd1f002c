/**
 * Runs the benchmarks (all, or those whose names are given) and prints each figure as a ratio against a peer or a
 * limit measured in the same run. Exits with 1 where a limit is missed.
 */
import { readdirSync } from 'node:fs';
import type { BenchRow } from './measure.ts';

const wanted = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .sort();

let missed = 0;
for (const name of names) {
  const { default: bench } = (await import(`./${name}.ts`)) as { default?: () => Promise<BenchRow[]> };
  // What benchmarks share has nothing to run.
  if (bench === undefined) continue;
  for (const row of await bench()) {
    const met = row.better === 'higher' ? row.ratio >= row.limit : row.ratio <= row.limit;
    if (!met) missed++;
    const bound = `${row.better === 'higher' ? 'at least' : 'at most'} ${row.limit}`;
    console.log(
      `${met ? 'ok    ' : 'MISSED'} ${row.name}: ${row.ours} against ${row.peer}; ratio ${row.ratio.toFixed(2)} (${bound})`,
    );
  }
}
if (missed > 0) process.exitCode = 1;
